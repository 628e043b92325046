// A manifest's text to its kernels.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "harness/device/text_folders.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/manifest_entry.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay {
namespace {

toml::table parse_toml(std::string_view text, const std::filesystem::path& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw ManifestError(file, e.source().begin.line, "manifest",
                        fmt::format("not TOML: {}", e.description()));
  }
}

/// The name that a user may ask for; "" where the table has none that is one.
std::string name_of(const toml::table& table) {
  const std::string name = table["name"].value_exact<std::string>().value_or("");
  return is_kernel_name(name) ? name : "";
}

std::filesystem::path folder_of(const std::filesystem::path& manifest) {
  return manifest.has_parent_path() ? manifest.parent_path() : std::filesystem::path(".");
}

std::string outside(const std::filesystem::path& path) {
  return fmt::format(
      "{} lies outside the manifest's folder; name its folder with --allow-dir, if the kernel is "
      "meant to have it",
      path.string());
}

/// Why `path` cannot be read as a file; "" where it can.
std::string unreadable(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::is_regular_file(status)) return "";
  if (std::filesystem::is_directory(status)) return "is a directory";
  if (std::filesystem::exists(status)) return "is not a regular file";
  return status.type() == std::filesystem::file_type::not_found ? "no such file" : failed.message();
}

/// What a manifest from a stranger names is quoted in reports: it stays within its own project.
void check_place(const KernelEntry& entry, const std::string& field, const std::filesystem::path& path) {
  if (device::may_hold_text(folder_of(entry.manifest), path)) return;
  throw entry.error(field, outside(path));
}

void check_text(const KernelEntry& entry, const std::string& field, const std::filesystem::path& file) {
  check_place(entry, field, file);
  const std::string why = unreadable(file);
  if (why == "no such file")
    throw entry.error(field, fmt::format("no file {}; paths are relative to the manifest", file.string()));
  if (!why.empty()) throw entry.error(field, fmt::format("{} {}; name a .metal file", file.string(), why));
}

void check_files(const KernelEntry& entry) {
  check_text(entry, "source", entry.source);
  for (std::size_t i = 0; i < entry.text_prefix.size(); ++i)
    check_text(entry, fmt::format("text_prefix[{}]", i), entry.text_prefix[i]);
  if (entry.mlx && !entry.mlx->header.empty()) {
    check_place(entry, "header", entry.mlx->header);
    if (const std::string why = unreadable(entry.mlx->header); !why.empty())
      throw entry.error("header", fmt::format("{}: {}; paths are relative to the manifest",
                                              entry.mlx->header.string(), why));
  }
  for (std::size_t i = 0; i < entry.include_dirs.size(); ++i) {
    const auto& folder = entry.include_dirs[i];
    check_place(entry, fmt::format("include_dirs[{}]", i), folder);
    std::error_code failed;
    if (std::filesystem::is_directory(folder, failed)) continue;
    const bool there = std::filesystem::exists(folder, failed);
    throw entry.error(fmt::format("include_dirs[{}]", i),
                      fmt::format("{} {}; paths are relative to the manifest", folder.string(),
                                  there ? "is not a directory" : "does not exist"));
  }
}

using Check = std::function<void(const KernelEntry&)>;

/// The [[operation]] tables of a manifest, and what is wrong with those that are faulty.
class Operations {
 public:
  /// `places`: whether a reference must lie in the manifest's project.
  Operations(const toml::node* tables, const std::filesystem::path& file, bool places) {
    if (tables == nullptr) return;
    if (!tables->is_array_of_tables()) {
      throw ManifestError(file, tables->source().begin.line, "operation",
                          "is not a list of tables; write one [[operation]] table for each");
    }
    for (const toml::node& node : *tables->as_array()) {
      const toml::table& table = *node.as_table();
      const std::string name = table["name"].value_exact<std::string>().value_or("");
      try {
        auto stated = std::make_shared<const StatedOperation>(read_operation(table, file));
        if (places && !stated->reference.empty() &&
            !device::may_hold_text(folder_of(file), stated->reference))
          throw ManifestError(file, table["reference"].node()->source().begin.line, "operation.reference",
                              outside(stated->reference));
        if (!read_.try_emplace(name, std::move(stated)).second)
          throw ManifestError(file, table.source().begin.line, "operation.name",
                              "another operation has this name; choose a different one");
      } catch (const ManifestError& error) {
        if (name.empty()) throw;
        read_.insert_or_assign(name, error);
      }
    }
  }

  /// Gives the entry what is stated of its operation. Throws the error of a faulty one.
  void settle(KernelEntry& entry) {
    const auto found = read_.find(entry.operation);
    if (entry.stated || found == read_.end()) return;
    if (const auto* error = std::get_if<ManifestError>(&found->second)) throw *error;
    entry.stated = std::get<std::shared_ptr<const StatedOperation>>(found->second);
  }

 private:
  std::map<std::string, std::variant<std::shared_ptr<const StatedOperation>, ManifestError>> read_;
};

/// Gives each entry whose operation is what another kernel computes that kernel.
void find_reference_kernels(Manifest& manifest) {
  for (auto& one : manifest.entries) {
    auto* const entry = std::get_if<KernelEntry>(&one);
    if (entry == nullptr || !entry->stated || entry->stated->reference_kernel.empty()) continue;
    const std::string& wanted = entry->stated->reference_kernel;
    try {
      for (const auto& other : manifest.entries) {
        const auto* const kernel = std::get_if<KernelEntry>(&other);
        if (kernel == nullptr || kernel->name != wanted) continue;
        if (kernel->stated != entry->stated)
          throw entry->error("operation",
                             "its reference, the kernel " + wanted + ", computes another operation");
        auto alone = std::make_shared<KernelEntry>(*kernel);
        alone->reference_kernel = nullptr;
        entry->reference_kernel = std::move(alone);
      }
      if (!entry->reference_kernel)
        throw entry->error("operation", "its reference, the kernel " + wanted + ", is not in this manifest");
    } catch (const ManifestError& error) {
      const std::string name = entry->name;
      one = FaultyEntry{name, error};
    }
  }
}

Manifest entries_of(std::string_view text, const std::filesystem::path& file, const Check& check,
                    bool places) {
  const toml::table root = parse_toml(text, file);
  TomlFields fields(root, file);
  const toml::node* kernels = fields.find("kernel");
  Operations operations(fields.find("operation"), file, places);
  fields.finish();
  if (kernels == nullptr || !kernels->is_array_of_tables()) {
    throw ManifestError(file, kernels == nullptr ? 1 : kernels->source().begin.line, "kernel",
                        "the manifest has no kernels; write one [[kernel]] table for each");
  }
  Manifest manifest{file, {}};
  std::set<std::string> names;
  for (const toml::node& node : *kernels->as_array()) {
    const toml::table& table = *node.as_table();
    const std::string name = name_of(table);
    try {
      KernelEntry entry = read_entry(table, file);
      if (!names.insert(name).second)
        throw entry.error("name", "another kernel has this name; choose a different one");
      operations.settle(entry);
      settle_textures(entry);
      check(entry);
      manifest.entries.emplace_back(std::move(entry));
    } catch (const ManifestError& error) {
      names.insert(name);
      manifest.entries.emplace_back(FaultyEntry{name, error});
    }
  }
  find_reference_kernels(manifest);
  return manifest;
}

}  // namespace

std::vector<KernelEntry> Manifest::sound() const {
  std::vector<KernelEntry> all;
  for (const auto& one : entries) {
    if (const auto* faulty = std::get_if<FaultyEntry>(&one)) throw faulty->error;
    all.push_back(std::get<KernelEntry>(one));
  }
  return all;
}

Manifest parse_entries(std::string_view text, const std::filesystem::path& file) {
  return entries_of(
      text, file, [](const KernelEntry&) {}, false);
}

Manifest read_entries(const std::filesystem::path& file) {
  if (const std::string why = unreadable(file); !why.empty()) {
    throw ManifestError(file, 0, "manifest", why + "; give the path of a kernels.toml");
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw ManifestError(file, 0, "manifest", "cannot be read; check its permissions");
  device::allow_project(folder_of(file));
  return entries_of(text, file, check_files, true);
}

std::vector<KernelEntry> parse_manifest(std::string_view text, const std::filesystem::path& file) {
  return parse_entries(text, file).sound();
}

std::vector<KernelEntry> read_manifest(const std::filesystem::path& file) {
  return read_entries(file).sound();
}

}  // namespace assay
