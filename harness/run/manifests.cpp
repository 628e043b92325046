#include "harness/run/manifests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "harness/device/metal_version.hpp"
#include "harness/device/text_folders.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/run/mlx_bodies.hpp"
#include "harness/verify/near.hpp"
#include "harness/verify/shown.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {

namespace fs = std::filesystem;
namespace {

constexpr const char* kOwnManifest = "kernels.toml";

// From the working directory where the path leads below it, else as it is.
fs::path from_here(const fs::path& path) {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed || path.is_relative()) return path;
  const fs::path below = path.lexically_relative(here);
  return below.empty() || *below.begin() == ".." ? path : below;
}

}  // namespace

fs::path default_manifest() {
  if (fs::is_regular_file(kOwnManifest)) return kOwnManifest;
  fs::path relative = fs::path("kernels") / "kernels.toml";
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

fs::path manifest_path(const std::optional<std::string>& path) {
  return path ? fs::path(*path) : default_manifest();
}

namespace {

unsigned& assumed_metal_version() {
  static unsigned version = device::kMetalVersion;
  return version;
}

const std::string& name_of(const std::variant<KernelEntry, FaultyEntry>& entry) {
  return std::visit([](const auto& one) -> const std::string& { return one.name; }, entry);
}

// `name` may be a pattern: marlin_*, dequant_?4.
bool is_named(const std::string& name, const std::string& kernel) {
  return name == kernel || (!kernel.empty() && fnmatch(name.c_str(), kernel.c_str(), 0) == 0);
}

bool asks_for(const std::vector<std::string>& names, const std::string& kernel) {
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const auto& name) { return is_named(name, kernel); });
}

bool is_any(const std::string& name, const std::vector<std::string>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) { return is_named(name, one); });
}

// Did `assay check` write it, for a file that its user named? Nobody else puts files there.
bool is_kept(const fs::path& manifest) {
  return device::resolved(manifest).parent_path() ==
         device::resolved(metal::kept_manifests(metal::cache_directory()));
}

void allow_what_it_names(const fs::path& manifest) {
  for (const auto& one : assay::parse_entries(metal::content_of(manifest), manifest).entries) {
    const auto* entry = std::get_if<KernelEntry>(&one);
    if (entry == nullptr) continue;
    device::allow_texts(device::project_around(entry->source));
    for (const auto& folder : entry->include_dirs) device::allow_texts(folder);
    for (const auto& file : entry->text_prefix) device::allow_texts(file.parent_path());
  }
}

[[noreturn]] void no_such_kernel(const std::string& name, const fs::path& manifest,
                                 std::vector<std::string> known, const char* note = "") {
  std::erase(known, "");
  const auto meant = assay::did_you_mean(name, known);
  throw std::runtime_error(fmt::format("no kernel `{}` in {}{}{}{}there are: {}", assay::shown(name),
                                       manifest.string(), note, meant, meant.empty() ? "; " : " ",
                                       fmt::join(known, ", ")));
}

}  // namespace

void assume_metal_version(unsigned version) { assumed_metal_version() = version; }

Manifest load_entries(const std::optional<std::string>& path) {
  const fs::path file = from_here(manifest_path(path));
  if (is_kept(file)) allow_what_it_names(file);
  auto manifest = assay::read_entries(file);
  for (auto& one : manifest.entries) {
    auto* entry = std::get_if<KernelEntry>(&one);
    if (entry == nullptr) continue;
    if (assumed_metal_version() != device::kMetalVersion)
      entry->defines.try_emplace(device::kMetalVersionMacro, std::to_string(assumed_metal_version()));
    try {
      settle_mlx_body(*entry);
      properties::check_entry(*entry);
      *entry = properties::settled(*entry);
    } catch (const ManifestError& error) {
      one = FaultyEntry{std::string(entry->name), error};
    }
  }
  return manifest;
}

std::vector<KernelEntry> load_manifest(const std::optional<std::string>& path,
                                       const std::vector<std::string>& names) {
  auto manifest = load_entries(path);
  std::vector<std::string> known;
  for (const auto& one : manifest.entries) known.push_back(name_of(one));
  for (const auto& name : names) {
    if (!name.empty() && is_any(name, known)) continue;
    const bool own = path || manifest.file == kOwnManifest;
    no_such_kernel(name, manifest.file, known,
                   own ? "" : ", the manifest of Assay's own kernels (--manifest FILE names another)");
  }
  std::erase_if(manifest.entries, [&](const auto& one) { return !asks_for(names, name_of(one)); });
  return manifest.sound();
}

std::vector<const KernelEntry*> choose(const std::vector<KernelEntry>& entries,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> known;
  known.reserve(entries.size());
  for (const auto& entry : entries) known.push_back(entry.name);
  for (const auto& name : names) {
    if (!is_any(name, known))
      no_such_kernel(name, entries.empty() ? "the manifest" : entries.front().manifest, known);
  }
  std::vector<const KernelEntry*> chosen;
  for (const auto& entry : entries) {
    if (asks_for(names, entry.name)) chosen.push_back(&entry);
  }
  return chosen;
}

}  // namespace assay::run
