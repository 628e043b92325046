// What is right for an output, as the tensors that a file has of it.
//
// expected.T, in the output's type: the exact result, rounded once. Where other values are right too,
// expected.T.low and expected.T.high, the smallest and the largest, and expected.T.half_width, float32: no
// right value is farther from expected.T. Where the exact result is no value of the output's type,
// expected.T.value has it, rounded to float32 (not float64: some readers of the format, MLX's among them,
// open no file with such). A NaN asks for NaN; from -infinity to infinity anything is right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "golden/safetensors_file.hpp"

namespace assay::golden {

struct Dataset;

/// Which tensors a file has of an output beside expected.T.
struct Kept {
  bool ranges = false;  ///< .low, .high and .half_width: more than one value is right for some element
  bool values = false;  ///< .value: some exact result is no value of the type

  Kept with(const Kept& other) const { return {ranges || other.ranges, values || other.values}; }
  bool operator==(const Kept&) const = default;
};

/// What this expectation needs.
Kept kept_of(const Expectation& expected);

/// "expected.T".
std::string expected_name(const std::string& output);

/// The tensors of an output of that shape.
std::vector<TensorLayout> layout_of(const OutputSpec& output, const Kept& kept);

/// The same with their elements, of an expectation of that many.
std::vector<Tensor> tensors_of(const Expectation& expected, const OutputSpec& output, const Kept& kept);

/// What is right for an element is from low to high, or NaN alone. Throws FormatError that names that tensor
/// and the first element that is otherwise.
void check_order(const Expectation& expected, const std::string& tensor);

/// Inverse of tensors_of, but for names. Throws FormatError that names the tensor: one of the wrong type or
/// shape, or what is right from above to below.
Expectation expectation_in(const Dataset& dataset, const OutputSpec& output);

}  // namespace assay::golden
