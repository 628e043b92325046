// Outputs against the set of right answers, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/device/guarded_device.hpp"
#include "assay/problem.hpp"
#include "assay/tensor.hpp"
#include "harness/verify/error_shares.hpp"

namespace assay {

/// An output seen as a matrix: columns are the last dimension, rows all others together.
struct Matrix {
  std::size_t rows = 1;
  std::size_t columns = 1;
};
Matrix matrix_of(const std::vector<std::size_t>& shape);

/// Element `index` as it lies in memory, zero-extended.
std::uint64_t bits_of(const Tensor& tensor, std::size_t index);

/// One element that is not right.
struct WrongElement {
  std::size_t index = 0;
  std::size_t row = 0;
  std::size_t column = 0;
  bool never_written = false;  ///< still holds the poison of fresh memory
  std::uint64_t bits = 0;
  double got = 0;
  double expected = 0;  ///< the exact result
  double low = 0;       ///< right are low .. high, or NaN alone where `expected` is NaN
  double high = 0;
  bool undefined = false;  ///< holds what a lane got from one that took no part
};

struct Comparison {
  std::string tensor;
  DType dtype{};
  std::vector<std::size_t> shape;
  std::string bound;  ///< of the Expectation
  std::size_t elements = 0;
  std::size_t never_written = 0;    ///< how many of `wrong` were never written
  std::size_t worst = 0;            ///< index into `wrong`: the written one farthest from its interval
  std::vector<WrongElement> wrong;  ///< in order of index; the first one is the first
  ErrorShares shares = {};          ///< of the elements that are right

  bool right() const { return wrong.empty(); }
  std::size_t undefined() const;  ///< how many of `wrong` hold what a lane got from one that took no part
  Matrix matrix() const { return matrix_of(shape); }
  std::vector<std::size_t> wrong_rows() const;     ///< ascending, each once
  std::vector<std::size_t> wrong_columns() const;  ///< ascending, each once
};

/// What memory held before a run, and before another run of the same problem.
struct FreshMemory {
  FreshMemory(std::uint16_t pattern = device::kPoison) : poison(pattern) {}

  std::uint16_t poison;
  const Tensor* other = nullptr;  ///< the same output of the other run, if there was one
  std::uint16_t other_poison = device::kSecondPoison;
};

/// An element is right when it lies in [low, high] and, where signed_zero asks for it, has the sign of an
/// expected zero. A NaN is right where NaN is expected, or anything, and nowhere else. An element that still
/// holds the pattern that its memory was filled with was never written if the other run left its own pattern
/// there, too, or, for a wrong element, anything else than this run: what a kernel copies is the same in
/// both. Of one run alone: always where the pattern is a NaN, which no arithmetic produces, though a kernel
/// may copy it; else where it is also wrong. `inactive_reads`: lanes were given values of lanes that took no
/// part; an element that holds one is wrong where anything would be right, too. Throws std::invalid_argument
/// when the expectation or the other output is for another tensor or another number of elements.
Comparison compare(const Tensor& output, const Expectation& expectation, const FreshMemory& fresh = {},
                   bool inactive_reads = false);

/// One output whose bits differ between two runs.
struct BitDifference {
  std::string tensor;
  std::size_t elements = 0;
  std::size_t different = 0;
  std::size_t row = 0, column = 0;  ///< of the first that differs
  std::uint64_t first_bits = 0, second_bits = 0;
  std::size_t never_written = 0;        ///< that held what memory was filled with, in both runs
  std::vector<std::size_t> shape = {};  ///< of the tensor
};

/// The outputs of two runs of one problem, over memory filled with these patterns; only tensors that differ
/// are returned. Throws std::invalid_argument when the runs have other tensors, types or shapes.
std::vector<BitDifference> compare_bits(const std::vector<Tensor>& first, const std::vector<Tensor>& second,
                                        std::uint16_t first_poison = device::kPoison,
                                        std::uint16_t second_poison = device::kSecondPoison);

}  // namespace assay
