// How the output is cut: a threadgroup computes one tile of C, each of its simdgroups one part of that tile.
//
// A kernel with another tile defines its macros before this file is included, or gets them from the host.
#pragma once

#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef TILE_K
#define TILE_K 32
#endif

// Rows and columns of C that one simdgroup accumulates: four times 32x32 covers 64x64.
#ifndef PART_M
#define PART_M 32
#endif
#ifndef PART_N
#define PART_N 32
#endif

#define PARTS (TILE_M / PART_M * (TILE_N / PART_N))

#define SIMDGROUP_WIDTH 32
#define THREADS 128

/// The problem: A [M, K] x W [K, N] = C [M, N], with one scale per group_size elements of K and column.
struct Shape {
  uint M, N, K, group_size;
};

/// Row and column of a corner.
struct Corner {
  uint row, column;

  Corner operator+(Corner other) const { return {row + other.row, column + other.column}; }
};

/// A thread's place in its threadgroup.
struct Place {
  uint thread_index, simdgroup, lane;
};

/// Corner of a threadgroup's tile in C.
inline Corner tile_corner(uint2 threadgroup_position) {
  return {threadgroup_position.y * TILE_M, threadgroup_position.x * TILE_N};
}

/// Corner of a simdgroup's part in its tile: the parts are numbered along rows.
inline Corner part_corner(uint simdgroup) {
  const uint parts_per_row = TILE_N / PART_N;
  return {simdgroup / parts_per_row * PART_M, simdgroup % parts_per_row * PART_N};
}
