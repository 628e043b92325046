// The golden files of a directory, as those who run kernels on them choose among them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "golden/safetensors.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::golden {

/// What a golden file is of, without its tensors.
struct FileSummary {
  std::filesystem::path path;
  std::string operation;
  Dims dims;  ///< as a case has them: without counts
  std::string regime;
  Arithmetic arithmetic;  ///< that what is right in it holds for
};

/// Reads a file as read_case() does, and keeps no tensor of it. Throws FormatError that names the file and
/// the field: also where the regime is no plain word, which lines are to hold, or the path has control
/// characters.
FileSummary summarize(const std::filesystem::path& path);

/// Every *.safetensors file of a directory, by name, each as summarize() reads it: one at a time is in
/// memory. Throws FormatError of the first that is damaged, and where there is none.
std::vector<FileSummary> read_set(const std::filesystem::path& directory);

}  // namespace assay::golden
