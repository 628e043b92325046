#include "harness/draft/macros.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

namespace assay::draft {

std::vector<std::pair<std::string, std::string>> macros_of(const device::KernelSource& source,
                                                           const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, std::string>> all(source.defines.begin(), source.defines.end());
  static const std::regex kDefine(R"(^\s*#\s*define\s+([A-Za-z_]\w*)\s+([^\s/][^/]*))");
  for (const auto& file : files) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) continue;
    std::ifstream in(file);
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_search(line, match, kDefine)) all.emplace_back(match[1].str(), match[2].str());
    }
  }
  return all;
}

}  // namespace assay::draft
