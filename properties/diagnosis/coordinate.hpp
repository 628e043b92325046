// Where an element of an output stands, in one of the ways that may tell the wrong from the right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "assay/problem.hpp"

namespace assay::properties {

/// One number an element, such as its row within the tile or the nibble of the weight that it shows.
struct Coordinate {
  std::string one;                      ///< words behind "elements", {} for one value: "in nibble {}"
  std::string many;                     ///< for several: "in nibbles {}"
  std::vector<std::int64_t> of;         ///< of each element, in order of index
  bool weight = false;                  ///< of the one weight that the element shows
  std::vector<std::string> names = {};  ///< for the values 0, 1, ... in place of numbers: "in the last row"
  bool writer = false;                  ///< of who stored the element
};

/// How the elements of a weight matrix W [K, N] are seen in an output whose every element shows one of them.
struct WeightsSeen {
  std::vector<std::size_t> k_of_row;  ///< row of the output -> k
  std::vector<Coordinate> formats;    ///< of the weight's format: code, nibble, ...
};

/// The k of each row of A [M, K] halves where every row is one unit vector; nothing where one is not.
std::optional<std::vector<std::size_t>> unit_rows(const Tensor& A);

/// How K is cut up; what there is none of is 0.
struct AlongK {
  std::size_t K = 0;
  std::size_t tile = 0;        ///< K tile of the kernel
  std::size_t group_size = 0;  ///< of the weights
  std::size_t slices = 0;  ///< that share K among them in whole tiles (docs/operations.md, "Striped product")
};

/// Coordinates that follow from k: slice, K tile, place in the K tile, group, place in the group, k itself.
std::vector<Coordinate> coordinates_along_k(const std::vector<std::size_t>& k_of_row, std::size_t columns,
                                            const AlongK& cut);

/// Simdgroup and threadgroup that stored each element. Nothing where one of the `wrong` (by element) was
/// stored by nobody: who should have is not known.
std::vector<Coordinate> coordinates_of_storers(const std::vector<device::Writer>& writers,
                                               const std::vector<char>& wrong);

/// Coordinates of any output: tile, part of the tile, row and column of the tile, of an 8 x 8 piece, and of
/// all. `tile_m` and `tile_n` are 0 where the kernel has none.
std::vector<Coordinate> coordinates_of_place(std::size_t rows, std::size_t columns, std::size_t tile_m,
                                             std::size_t tile_n);

}  // namespace assay::properties
