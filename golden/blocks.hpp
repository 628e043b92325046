// What is right for a problem, solved a block of its outputs at a time, so that memory stays small whatever
// the size.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "golden/answers.hpp"
#include "golden/safetensors_file.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {

/// The elements that a block takes in memory, inputs and outputs together, about: each costs some 40 bytes
/// while it is solved. Where what all blocks have in common is more than half of that, a block takes twice as
/// much.
inline constexpr std::size_t kBlockElements = std::size_t{1} << 20;

/// How a problem is cut. Which blocks there are follows from the problem alone, and no answer hangs on it.
struct Blocks {
  std::string dimension;  ///< along which it is cut; "": there is one block, the whole problem
  std::vector<properties::Range> ranges = {{0, 0}};
};

/// Cut along a dimension that every output runs along, best one by which no weights are solved twice; whole
/// where it is small, or where the operation cannot be cut: a tensor is read and written, or holds compressed
/// data. The first block is a short one.
Blocks blocks_of(const properties::Operation& operation, const Problem& problem,
                 std::size_t elements = kBlockElements);

/// What is right for a block of one output.
struct BlockAnswer {
  OutputSpec whole, block;
  std::size_t axis = 0, begin = 0;  ///< where the block lies in the whole
  Expectation expected;             ///< its elements; without them where `exact` has them
  std::vector<Tensor> exact = {};   ///< the output itself, of which each bit must be so; else empty

  Kept kept() const { return exact.empty() ? kept_of(expected) : Kept{}; }
  /// Calls `write(tensor, first element in the whole, bytes)` for each run of elements.
  template <class Write>
  void each_run(const Kept& kept, const Write& write) const;
};

/// Solves a block. Throws as Operation::expect() does.
std::vector<BlockAnswer> solve_block(const properties::Operation& operation, const Problem& problem,
                                     const Arithmetic& arithmetic, const Blocks& blocks, std::size_t number);

template <class Write>
void BlockAnswer::each_run(const Kept& kept, const Write& write) const {
  std::size_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < whole.shape.size(); ++i) {
    if (i < axis) outer *= whole.shape[i];
    if (i > axis) inner *= whole.shape[i];
  }
  const std::size_t rows = whole.shape.empty() ? 1 : block.shape[axis];
  const std::size_t all_rows = whole.shape.empty() ? 1 : whole.shape[axis];
  for (const Tensor& tensor : exact.empty() ? tensors_of(expected, block, kept) : exact) {
    const std::size_t bytes = rows * inner * assay::size_of(tensor.dtype);
    for (std::size_t i = 0; i < outer; ++i)
      write(tensor.name, (i * all_rows + begin) * inner, std::span(tensor.data).subspan(i * bytes, bytes));
  }
}

}  // namespace assay::golden
