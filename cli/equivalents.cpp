#include "cli/equivalents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, std::uint32_t line, const std::string& what) {
  throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), line, what));
}

std::string text_field(const fs::path& file, const toml::table& table, const char* key) {
  const auto value = table[key].value<std::string>();
  if (!value) refuse(file, table.source().begin.line, fmt::format("{}: must be there, as a string", key));
  return *value;
}

std::vector<std::string> list_field(const fs::path& file, const toml::table& table, const char* key) {
  std::vector<std::string> list;
  const auto* node = table.get(key);
  if (node == nullptr) return list;
  const auto add = [&](const toml::node& one) {
    if (const auto text = one.value<std::string>()) {
      list.push_back(*text);
    } else {
      refuse(file, one.source().begin.line, fmt::format("{}: must hold strings", key));
    }
  };
  if (const auto* array = node->as_array()) {
    for (const auto& one : *array) add(one);
  } else {
    add(*node);
  }
  return list;
}

}  // namespace

Equivalents Equivalents::read(const fs::path& file) {
  Equivalents list;
  list.file_ = file;
  if (!fs::exists(file)) return list;
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    refuse(file, error.source().begin.line, std::string(error.description()));
  }
  for (const auto& [key, node] : table) {
    if (key != "equivalent") {
      refuse(file, key.source().begin.line, fmt::format("{}: unknown; there is [[equivalent]]", key.str()));
    }
  }
  const auto* entries = table["equivalent"].as_array();
  for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    const auto* entry = (*entries)[i].as_table();
    if (entry == nullptr) refuse(file, (*entries)[i].source().begin.line, "equivalent: must be a table");
    for (const auto& [key, node] : *entry) {
      const auto name = key.str();
      if (name != "kernels" && name != "file" && name != "line" && name != "becomes" && name != "reason") {
        refuse(file, key.source().begin.line,
               fmt::format("{}: unknown; there are kernels, file, line, becomes, reason", name));
      }
    }
    Equivalent one{list_field(file, *entry, "kernels"), text_field(file, *entry, "file"),
                   text_field(file, *entry, "line"),    list_field(file, *entry, "becomes"),
                   text_field(file, *entry, "reason"),  entry->source().begin.line};
    if (one.becomes.empty())
      refuse(file, one.at, "becomes: must be there: what the mutants make of the line");
    if (one.reason.empty())
      refuse(file, one.at, "reason: say why no input can tell the mutant from the kernel");
    list.used_.emplace_back(one.becomes.size(), false);
    list.entries_.push_back(std::move(one));
  }
  return list;
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

}  // namespace assay::cli
