// A manifest's text to its kernels.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <system_error>

#include "harness/verify/manifest.hpp"
#include "harness/verify/manifest_entry.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay::verify {
namespace {

toml::table parse_toml(std::string_view text, const std::filesystem::path& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw ManifestError(file, e.source().begin.line, "manifest",
                        fmt::format("not TOML: {}", e.description()));
  }
}

}  // namespace

std::vector<KernelEntry> parse_manifest(std::string_view text, const std::filesystem::path& file) {
  const toml::table root = parse_toml(text, file);
  TomlFields fields(root, file);
  const toml::node* kernels = fields.find("kernel");
  fields.finish();
  if (kernels == nullptr || !kernels->is_array_of_tables()) {
    throw ManifestError(file, kernels == nullptr ? 1 : kernels->source().begin.line, "kernel",
                        "the manifest has no kernels; write one [[kernel]] table for each");
  }
  std::vector<KernelEntry> entries;
  std::set<std::string> names;
  for (const toml::node& node : *kernels->as_array()) {
    entries.push_back(read_entry(*node.as_table(), file));
    const KernelEntry& entry = entries.back();
    if (!names.insert(entry.name).second)
      throw entry.error("name", "a second kernel of this name; names are unique");
  }
  return entries;
}

std::vector<KernelEntry> read_manifest(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    throw ManifestError(file, 0, "manifest", "no such file; give the path of a kernels.toml");
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw ManifestError(file, 0, "manifest", "cannot be read; check its permissions");
  auto entries = parse_manifest(text, file);
  for (const KernelEntry& entry : entries) {
    if (!std::filesystem::is_regular_file(entry.source, ignored)) {
      throw entry.error("source",
                        fmt::format("no file {}; paths are relative to the manifest", entry.source.string()));
    }
  }
  return entries;
}

}  // namespace assay::verify
