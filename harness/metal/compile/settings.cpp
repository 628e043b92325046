#include "harness/metal/compile/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

void refuse_unused_constants(const device::KernelSource& source,
                             const std::vector<std::uint32_t>& constants) {
  if (source.shared_settings) return;
  for (const auto& [index, unused] : source.function_constants) {
    if (std::find(constants.begin(), constants.end(), index) != constants.end()) continue;
    throw UnusedSetting(
        source.path.string(), fmt::format("function_constants.{}", index),
        fmt::format("{} uses no [[function_constant({})]]; it uses {}", source.function, index,
                    constants.empty() ? "none" : fmt::format("{}", fmt::join(constants, ", "))));
  }
}

void refuse_unused_folders(const device::KernelSource& source, const std::vector<std::string>& files) {
  if (source.shared_settings) return;
  for (std::size_t i = 0; i < source.include_dirs.size(); ++i) {
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(source.include_dirs[i] / ".", failed).lexically_normal();
    const bool used = std::any_of(files.begin(), files.end(), [&](const std::string& name) {
      if (fs::path(name) == source.path) return false;
      return lies_in(fs::weakly_canonical(name, failed), folder);
    });
    if (used) continue;
    throw UnusedSetting(source.path.string(), fmt::format("include_dirs[{}]", i),
                        fmt::format("{} includes nothing from {}; leave it out",
                                    source.path.filename().string(), source.include_dirs[i].string()));
  }
}

}  // namespace assay::metal
