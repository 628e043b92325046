#include "harness/verify/toml_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <utility>

#include "harness/verify/manifest.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

std::string kind_of(const toml::node& node) {
  std::ostringstream out;
  out << node.type();
  return out.str();
}

}  // namespace

TomlFields::TomlFields(const toml::table& table, std::filesystem::path file, std::string prefix)
    : table_(table), file_(std::move(file)), prefix_(std::move(prefix)) {}

std::uint32_t TomlFields::line(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node != nullptr ? node->source().begin.line : table_.source().begin.line;
}

const toml::node* TomlFields::find(std::string_view key) {
  known_.emplace(key);
  return table_.get(key);
}

const toml::node& TomlFields::require(std::string_view key, std::string_view what_it_is) {
  const toml::node* node = find(key);
  if (node == nullptr) fail(key, nullptr, fmt::format("is missing; it is {}", what_it_is));
  return *node;
}

std::string TomlFields::text(std::string_view key, const toml::node& node) const {
  const auto value = node.value_exact<std::string>();
  if (!value) fail(key, &node, fmt::format("is a {}; write a string", kind_of(node)));
  return *value;
}

std::string TomlFields::string(std::string_view key, const toml::node& node, std::size_t most) const {
  std::string value = text(key, node);
  if (value.empty()) fail(key, &node, "is empty; write a name or leave the field out");
  refuse_control(key, node, value);
  if (value.size() > most) {
    fail(key, &node, fmt::format("has {} characters; write at most {}", value.size(), most));
  }
  return value;
}

void TomlFields::refuse_control(std::string_view key, const toml::node& node, std::string_view value) const {
  if (!has_control(value)) return;
  fail(key, &node, fmt::format("\"{}\" holds a control character; take it out", shown(value)));
}

std::int64_t TomlFields::integer(std::string_view key, const toml::node& node, std::int64_t min,
                                 std::int64_t max) const {
  const auto value = node.value_exact<std::int64_t>();
  if (!value) fail(key, &node, fmt::format("is a {}; write a whole number", kind_of(node)));
  if (*value < min || *value > max) {
    fail(key, &node, fmt::format("is {}; write a number from {} to {}", *value, min, max));
  }
  return *value;
}

double TomlFields::number(std::string_view key, const toml::node& node, double min) const {
  if (!node.is_number()) fail(key, &node, fmt::format("is a {}; write a number", kind_of(node)));
  const double value = node.value<double>().value_or(NAN);
  if (!std::isfinite(value)) fail(key, &node, "is not finite; write a finite number");
  if (value < min) fail(key, &node, fmt::format("is {}; write a number from {} on", value, min));
  return value;
}

std::string TomlFields::literal(std::string_view key, const toml::node& node, std::string_view yes,
                                std::string_view no) const {
  if (const auto text = node.value_exact<std::string>()) {
    refuse_control(key, node, *text);
    return *text;
  }
  if (const auto truth = node.value_exact<bool>()) return std::string(*truth ? yes : no);
  if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>(); real && std::isfinite(*real)) {
    const std::string text = fmt::format("{}", *real);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  fail(key, &node, fmt::format("is a {}; write a string, a number, true or false", kind_of(node)));
}

const toml::array& TomlFields::array(std::string_view key, const toml::node& node) const {
  if (!node.is_array()) fail(key, &node, fmt::format("is a {}; write a list in [ ]", kind_of(node)));
  return *node.as_array();
}

TomlFields TomlFields::table(std::string_view key) {
  static const toml::table kEmpty;
  const toml::node* node = find(key);
  if (node == nullptr) return TomlFields(kEmpty, file_, prefix_ + std::string(key) + ".");
  if (!node->is_table()) fail(key, node, fmt::format("is a {}; write a table in {{ }}", kind_of(*node)));
  return TomlFields(*node->as_table(), file_, prefix_ + std::string(key) + ".");
}

void TomlFields::each(const std::function<void(const std::string&, const toml::node&)>& visit) {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    known_.insert(name);
    visit(name, node);
  }
}

void TomlFields::finish() const {
  for (const auto& [key, node] : table_) {
    if (known_.contains(key.str())) continue;
    std::string list;
    for (const auto& name : known_) list += (list.empty() ? "" : ", ") + name;
    throw ManifestError(file_, key.source().begin.line, prefix_ + std::string(key.str()),
                        "is not a field here; the fields are " + list);
  }
}

void TomlFields::fail(std::string_view key, const toml::node* at, std::string_view what) const {
  const std::uint32_t line = at != nullptr ? at->source().begin.line : table_.source().begin.line;
  throw ManifestError(file_, line, prefix_ + std::string(key), what);
}

}  // namespace assay
