// Files for machines, read by others' programs: tests/report/validate.py.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/metal/compile/process.hpp"

namespace assay::tests {

inline metal::ProcessResult validate(std::vector<std::string> arguments) {
  const std::filesystem::path source = ASSAY_SOURCE_DIR;
  arguments.insert(arguments.begin(), {ASSAY_PYTHON, (source / "tests/report/validate.py").string()});
  return metal::run_process(arguments);
}

/// "" where all these files are what docs/report.schema.json says.
inline std::string fault_of_json(const std::vector<std::filesystem::path>& files) {
  const std::filesystem::path source = ASSAY_SOURCE_DIR;
  std::vector<std::string> arguments = {"json", (source / "docs/report.schema.json").string()};
  for (const auto& file : files) arguments.push_back(file.string());
  const auto result = validate(arguments);
  return result.exit_code == 0 ? "" : result.out + result.err;
}

/// `tests failures errors skipped`, then a line on each test case; what is wrong where the file is no JUnit.
inline std::string read_junit(const std::filesystem::path& file) {
  const auto result = validate({"junit", file.string()});
  return result.exit_code == 0 ? result.out : "no JUnit file: " + result.out + result.err;
}

}  // namespace assay::tests
