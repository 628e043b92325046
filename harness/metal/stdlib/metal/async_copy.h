// Asynchronous copies of a simdgroup between device and threadgroup memory. Metal's library has none, but its
// compiler has functions for them, which texts declare by their labels: `thread E* f(...) __asm("air....")`.
// Such a declaration becomes an object of a type below (harness/metal/clang/apple_functions.hpp).
//
// A copy is done as late as it may be: when the simdgroup waits for it. So what a kernel reads without having
// waited is uninitialised, or older.
#pragma once
#include "metal/synchronize.h"
#include "metal/vec.h"

namespace assay_msl {

/// What a copy returns. The type that it points to is the text's own.
struct copy_event {
  assay_copy_t* copy;
  template <class T>
  ASSAY_INLINE operator T*() const {
    return reinterpret_cast<T*>(copy);
  }
};

ASSAY_UNINSTRUMENTED static copy_event begin_copy(const assay_copy_t& copy) {
  assay_copy_t* const kept = assay_copy_begins();
  *kept = copy;
  return {kept};
}

ASSAY_UNINSTRUMENTED static assay_copy_t copy_of(const assay_copy_t* begun) { return *begun; }

/// air.simdgroup_async_copy_1d: the size and the alignment of an element, to, from, elements.
struct simdgroup_async_copy_1d {
  ASSAY_INLINE copy_event operator()(ulong size, ulong, void* to, const void* from, ulong elements) const {
    return begin_copy({to, from, size, elements, elements, 1, 1, elements, 1, elements, 1, 0, 0, 0});
  }
};

/// air.simdgroup_async_copy_2d: the size and the alignment of an element; to, its elements a row, the stride
/// of its elements, columns and rows of the tile that is filled; the same of from; where the first tile
/// begins in the second; what lies outside of that.
struct simdgroup_async_copy_2d {
  ASSAY_INLINE copy_event operator()(ulong size, ulong, void* to, ulong to_row, ulong to_stride,
                                     ulong2 to_tile, const void* from, ulong from_row, ulong from_stride,
                                     ulong2 from_tile, long2 origin, int clamp) const {
    return begin_copy({to, from, size, to_row, from_row, to_stride, from_stride, to_tile.x, to_tile.y,
                       from_tile.x, from_tile.y, origin.x, origin.y, uint(clamp)});
  }
};

template <class Unit>
ASSAY_INLINE void copy_share(const assay_copy_t& copy, ulong parts) {
  using Part = Unit __attribute__((may_alias));
  Part* const to = static_cast<Part*>(copy.to);
  const Part* const from = static_cast<const Part*>(copy.from);
  for (ulong i = lane_in_simdgroup(); i < copy.to_columns * copy.to_rows; i += ASSAY_SIMDGROUP_WIDTH) {
    const ulong column = i % copy.to_columns, row = i / copy.to_columns;
    // Outside to the left or above is outside to the right or below, of unsigned numbers.
    ulong x = ulong(long(column) + copy.left), y = ulong(long(row) + copy.top);
    bool inside = x < copy.from_columns && y < copy.from_rows;
    if (!inside && copy.clamp == 1 && copy.from_columns != 0 && copy.from_rows != 0) {
      x = long(x) < 0 ? 0 : x < copy.from_columns ? x : copy.from_columns - 1;
      y = long(y) < 0 ? 0 : y < copy.from_rows ? y : copy.from_rows - 1;
      inside = true;
    }
    const ulong source = (y * copy.from_row + x * copy.from_stride) * parts;
    const ulong target = (row * copy.to_row + column * copy.to_stride) * parts;
    for (ulong part = 0; part < parts; ++part) to[target + part] = inside ? from[source + part] : Unit(0);
  }
}

/// air.wait_simdgroup_events: how many, and the events. Every lane copies its share; behind it, the simdgroup
/// sees what all of them copied.
struct wait_simdgroup_events {
  template <class Event>
  ASSAY_INLINE void operator()(int count, Event** events, ASSAY_PLACE) const {
    for (int i = 0; i < count; ++i) {
      auto* const begun = reinterpret_cast<assay_copy_t*>(events[i]);
      const assay_copy_t copy = copy_of(begun);
      switch (copy.element_bytes) {
        case 2:
          copy_share<ushort>(copy, 1);
          break;
        case 4:
          copy_share<uint>(copy, 1);
          break;
        case 8:
          copy_share<ulong>(copy, 1);
          break;
        case 16:
          copy_share<ulong>(copy, 2);
          break;
        default:
          copy_share<uchar>(copy, copy.element_bytes);
      }
      assay_copy_ends(begun);
    }
    assay_simdgroup_barrier(uint(mem_flags::mem_device_and_threadgroup), assay_line, assay_file);
  }
};

}  // namespace assay_msl
