#include "golden/golden_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

#include "golden/golden_case.hpp"
#include "golden/set_request.hpp"
#include "harness/verify/shown.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {
namespace fs = std::filesystem;
namespace {

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace

FileSummary summarize(const fs::path& path) {
  if (has_control(path.native()))
    throw FormatError(fmt::format("{}: its name has control characters; rename it", shown(path.native())));
  GoldenCase golden = read_case(path);
  if (!is_word(golden.regime)) {
    throw FormatError(fmt::format("{}: metadata case: regime {} is not a word of letters, digits, _, - and .",
                                  path.string(), shown(golden.regime)));
  }
  FileSummary summary{path, golden.problem.operation, std::move(golden.problem.dims),
                      std::move(golden.regime), std::move(golden.arithmetic)};
  for (const auto& count : properties::find_operation(summary.operation).declaration().counts)
    summary.dims.erase(count.name);
  return summary;
}

std::vector<FileSummary> read_set(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == kFileSuffix) paths.push_back(entry.path().lexically_normal());
  }
  if (error)
    throw FormatError(
        fmt::format("{}: cannot be read as a directory: {}", directory.string(), error.message()));
  if (paths.empty())
    throw FormatError(fmt::format("{}: directory: has no *{} file", directory.string(), kFileSuffix));
  std::sort(paths.begin(), paths.end());
  std::vector<FileSummary> files;
  files.reserve(paths.size());
  for (const fs::path& path : paths) files.push_back(summarize(path));
  return files;
}

}  // namespace assay::golden
