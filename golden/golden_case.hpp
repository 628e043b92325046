// How a problem and what is right for it lie in a dataset.
//
// Tensors: the inputs by their names, and for each output T either expected.T, where one value is right for
// each element, or expected.T.low and expected.T.high, the smallest and the largest right ones, in the
// output's type; and expected.T.value, the exact result in float64, where it differs from the former.
// Metadata: operation, case, dequantize, accumulate, and for each output T bound.T and signed_zero.T.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "golden/safetensors.hpp"
#include "harness/verify/problem.hpp"
#include "properties/cases/traits.hpp"

namespace assay::golden {

/// A dataset as a kernel is run on it.
struct GoldenCase {
  Problem problem;
  std::string regime;  ///< where its values come from: not every kernel is asked every regime
  std::vector<Expectation> expectations;
  Arithmetic arithmetic;
};

/// Reads a file that `make` wrote. Throws FormatError that names the file and the field.
GoldenCase read_case(const std::filesystem::path& path);

/// The value of a metadata key. Throws FormatError that names it.
const std::string& metadata_of(const Dataset& dataset, const std::string& key);

/// Adds what is right for one output: its tensors and its metadata.
void add_expectation(const Expectation& expected, const OutputSpec& output, Dataset& dataset);

}  // namespace assay::golden
