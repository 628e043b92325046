// Somebody's own tensors as a problem: a safetensors file that has the inputs of an operation by their names,
// whoever wrote it.
//
// Dimensions are those given, else those that the metadata says (`case`, or a key of a dimension's name),
// else what the shapes tell. An input that is also an output, and that the file lacks, is zero. What the file
// has as expected.T is what is right for output T: with expected.T.low and .high, or with .half_width alone
// around it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem.hpp"
#include "golden/safetensors.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/traits.hpp"

namespace assay::golden {

/// The regime of cases of such files: their values come from nowhere that is known.
inline constexpr std::string_view kOwnRegime = "own";

struct OwnTensors {
  Problem problem;
  /// For the outputs that the file says of what is right; of the others the reference knows it.
  std::vector<Expectation> expected;
  /// That the latter holds for, where the metadata say so (`dequantize` and `accumulate`).
  std::optional<Arithmetic> arithmetic;
  std::vector<std::string> notes;  ///< what was taken for granted, a line each
};

/// The problem of `operation` that a dataset holds. Throws FormatError, one line without the file's name,
/// that names the tensor and its field, or the dimension, and what would be right: an input that is missing,
/// of another type or of a shape that cannot be; a dimension that no shape tells; a file of another
/// operation.
OwnTensors own_tensors(const Dataset& dataset, const properties::Operation& operation,
                       const Dims& given = {});

/// The same of a file, which the text names. Where it has a content hash, that must be right.
OwnTensors read_own_tensors(const std::filesystem::path& path, const properties::Operation& operation,
                            const Dims& given = {});

}  // namespace assay::golden
