// A golden file as a kernel is run on it.
//
// Its tensors are the inputs by their names and what is right for each output (answers.hpp). Metadata:
// operation, case, dequantize, accumulate, and for each output T bound.T and signed_zero.T.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "golden/safetensors.hpp"
#include "properties/cases/traits.hpp"

namespace assay::golden {

struct GoldenCase {
  Problem problem;
  std::string regime;  ///< where its values come from: not every kernel is asked every regime
  std::vector<Expectation> expectations;
  Arithmetic arithmetic;
};

/// Reads a file that `make` wrote, or one that has the same tensors and metadata. Where it has a content
/// hash, that must be right. Throws FormatError that names the file and the field.
GoldenCase read_case(const std::filesystem::path& path);

/// The same without what is right, which takes more memory than the inputs do: `expectations` is empty. The
/// hash is not looked at.
GoldenCase read_inputs(const std::filesystem::path& path);

/// The value of a metadata key. Throws FormatError that names it.
const std::string& metadata_of(const std::map<std::string, std::string>& metadata, const std::string& key);

}  // namespace assay::golden
