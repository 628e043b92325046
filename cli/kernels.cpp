#include "cli/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "properties/trial.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

fs::path default_manifest() {
  const fs::path relative = fs::path("kernels") / "kernels.toml";
  if (fs::exists(relative)) return relative;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  for (fs::path up = program.parent_path(); !failed && up.has_relative_path(); up = up.parent_path()) {
    for (const auto& place : {up / relative, up / "share" / "assay" / relative}) {
      if (fs::exists(place)) return place;
    }
  }
  throw std::runtime_error(
      "no kernels/kernels.toml here or where the program is installed; name one with --manifest");
}

std::vector<verify::KernelEntry> load_manifest(const std::optional<std::string>& path) {
  auto entries = verify::read_manifest(path ? fs::path(*path) : default_manifest());
  for (const auto& entry : entries) properties::check_entry(entry);
  return entries;
}

std::vector<const verify::KernelEntry*> choose(const std::vector<verify::KernelEntry>& entries,
                                               const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto& entry : entries) known.push_back(entry.name);
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto manifest = entries.empty() ? "the manifest" : entries.front().manifest.string();
      throw std::runtime_error(
          fmt::format("no kernel `{}` in {}; there are: {}", name, manifest, fmt::join(known, ", ")));
    }
  }
  std::vector<const verify::KernelEntry*> chosen;
  for (const auto& entry : entries) {
    if (names.empty() || std::find(names.begin(), names.end(), entry.name) != names.end())
      chosen.push_back(&entry);
  }
  return chosen;
}

}  // namespace assay::cli
