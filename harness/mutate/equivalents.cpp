#include "harness/mutate/equivalents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "harness/run/manifests.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay::mutate {
namespace {

namespace fs = std::filesystem;

// One text, or a list of them. `empty`: may a text be?
std::vector<std::string> list_field(TomlFields& fields, std::string_view key, bool empty) {
  std::vector<std::string> list;
  const toml::node* node = fields.find(key);
  if (node == nullptr) return list;
  const auto add = [&](const toml::node& one) {
    list.push_back(empty ? fields.text(key, one) : fields.string(key, one));
    if (std::count(list.begin(), list.end(), list.back()) > 1) fields.fail(key, &one, "lists a text twice");
  };
  const auto* array = node->as_array();
  if (array == nullptr) add(*node);
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) add((*array)[i]);
  return list;
}

Equivalent entry_of(const toml::table& table, const fs::path& file) {
  TomlFields fields(table, file, "equivalent.");
  Equivalent one;
  one.at = table.source().begin.line;
  one.kernels = list_field(fields, "kernels", false);
  one.file = fields.string("file", fields.require("file", "the text's path, relative to this list"));
  one.line = fields.text("line", fields.require("line", "the line as the text has it"));
  one.becomes = list_field(fields, "becomes", true);
  if (one.becomes.empty())
    fields.fail("becomes", nullptr, "is missing; it lists what the mutants make of the line");
  const toml::node& reason = fields.require("reason", "why no input can tell the mutant from the kernel");
  one.reason = fields.string("reason", reason);
  fields.finish();
  return one;
}

toml::table parse(const fs::path& file) {
  if (!fs::is_regular_file(file)) throw ManifestError(file, 0, "equivalent", "is not a regular file");
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw ManifestError(file, error.source().begin.line, "syntax", error.description());
  }
}

}  // namespace

Equivalents Equivalents::read(const fs::path& file) {
  Equivalents list;
  list.file_ = file;
  if (!fs::exists(file)) return list;
  const toml::table table = parse(file);
  TomlFields fields(table, file);
  if (const toml::node* entries = fields.find("equivalent")) {
    for (const toml::node& node : fields.array("equivalent", *entries)) {
      if (!node.is_table()) fields.fail("equivalent", &node, "is not a table; write [[equivalent]]");
      list.entries_.push_back(entry_of(*node.as_table(), file));
      list.used_.emplace_back(list.entries_.back().becomes.size(), false);
    }
  }
  fields.finish();
  return list;
}

Equivalents Equivalents::choose(const std::optional<std::string>& asked,
                                const std::optional<std::string>& manifest) {
  if (!asked) return read(run::manifest_path(manifest).parent_path() / "equivalent.toml");
  if (!fs::is_regular_file(*asked))
    throw std::runtime_error(fmt::format("--equivalents: {} is not a file", *asked));
  return read(*asked);
}

std::optional<Equivalents::Place> Equivalents::find(const std::string& kernel,
                                                    const mutate::ChangedLines& changed) const {
  const auto before = fmt::format("{}", fmt::join(changed.before, "\n"));
  const auto after = fmt::format("{}", fmt::join(changed.after, "\n"));
  std::error_code failed;
  const auto place = fs::weakly_canonical(changed.file, failed);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& entry = entries_[i];
    if (entry.line != before) continue;
    if (fs::weakly_canonical(file_.parent_path() / entry.file, failed) != place) continue;
    if (!entry.kernels.empty() &&
        std::find(entry.kernels.begin(), entry.kernels.end(), kernel) == entry.kernels.end()) {
      continue;
    }
    const auto found = std::find(entry.becomes.begin(), entry.becomes.end(), after);
    if (found == entry.becomes.end()) continue;
    return Place{i, static_cast<std::size_t>(found - entry.becomes.begin())};
  }
  return std::nullopt;
}

const std::string* Equivalents::explain(const std::string& kernel, const mutate::ChangedLines& changed) {
  const auto place = find(kernel, changed);
  if (!place) return nullptr;
  used_[place->entry][place->becomes] = true;
  return &entries_[place->entry].reason;
}

std::vector<std::string> Equivalents::stale() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (std::size_t b = 0; b < entries_[i].becomes.size(); ++b) {
      if (used_[i][b]) continue;
      lines.push_back(fmt::format("{}:{}: no mutant that survives becomes `{}`; take it out", file_.string(),
                                  entries_[i].at, entries_[i].becomes[b]));
    }
  }
  return lines;
}

}  // namespace assay::mutate
