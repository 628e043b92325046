#include "harness/verify/manifest_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace assay {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
// 4,096 bytes may be passed by value: so many scalars of 8.
constexpr std::size_t kMaxFields = 512;
// A buffer that several tensors share is made anew for each launch.
constexpr std::int64_t kMaxPackedBytes = std::int64_t{1} << 28;

Expression read_expression(const TomlFields& fields, const std::string& key, const toml::node& node,
                           std::string_view text) {
  if (text.starts_with("=")) text.remove_prefix(1);
  try {
    return Expression(text);
  } catch (const ExpressionError& e) {
    fields.fail(key, &node, e.what());
  }
}

class ArgumentsReader {
 public:
  ArgumentsReader(TomlFields& fields, const std::filesystem::path& manifest,
                  std::map<std::string, std::uint32_t>& lines)
      : fields_(fields), manifest_(manifest), lines_(lines) {}

  std::vector<ArgumentEntry> read() {
    const toml::node& node =
        fields_.require("arguments", "the list of tensors and scalars in buffer index order");
    const toml::array& list = fields_.array("arguments", node);
    if (list.empty() || list.size() > kMaxArguments) {
      fields_.fail("arguments", &node,
                   fmt::format("has {} entries; write 1 to {}", list.size(), kMaxArguments));
    }
    std::vector<ArgumentEntry> arguments;
    for (std::size_t i = 0; i < list.size(); ++i) {
      arguments.push_back(argument(fmt::format("arguments[{}]", i), list[i]));
    }
    return arguments;
  }

 private:
  ArgumentEntry argument(const std::string& key, const toml::node& node) {
    lines_[key] = node.source().begin.line;
    if (const toml::array* list = node.as_array()) {
      if (list->empty()) fields_.fail(key, &node, "is an empty list; write the scalars of the struct");
      if (list->size() > kMaxFields) {
        fields_.fail(key, &node, fmt::format("has {} scalars; write at most {}", list->size(), kMaxFields));
      }
      ScalarArgument scalars;
      for (std::size_t i = 0; i < list->size(); ++i) {
        scalars.fields.push_back(scalar(fmt::format("{}[{}]", key, i), (*list)[i]));
      }
      return scalars;
    }
    if (const toml::table* table = node.as_table()) {
      TomlFields fields(*table, manifest_, key + ".");
      PackedArgument packed{packed_fields(key + ".buffer", fields.require("buffer", "its fields, in order"))};
      fields.finish();
      return packed;
    }
    if (node.is_string()) {
      const auto [word, type] = typed(key, node);
      if (word == "-") return UnboundArgument{};
      if (is_identifier(word)) return NamedArgument{word, type};
    }
    return ScalarArgument{{scalar(key, node)}};
  }

  std::vector<PackedField> packed_fields(const std::string& key, const toml::node& node) {
    const toml::array& list = fields_.array(key, node);
    if (list.empty() || list.size() > kMaxFields) {
      fields_.fail(key, &node, fmt::format("has {} fields; write 1 to {}", list.size(), kMaxFields));
    }
    std::vector<PackedField> packed;
    for (std::size_t i = 0; i < list.size(); ++i) {
      packed.push_back(packed_field(fmt::format("{}[{}]", key, i), list[i]));
    }
    return packed;
  }

  /// "N", "freq", "sums(freq):uint", { field = "freq", at = 16 }, { record = [...], at = 16, size = 80 } or
  /// { pointer = "x", at = 16 }.
  PackedField packed_field(const std::string& key, const toml::node& node) {
    lines_[key] = node.source().begin.line;
    PackedField packed;
    packed.where = key;
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      packed_value(key, node, packed);
      return packed;
    }
    TomlFields fields(*table, manifest_, key + ".");
    if (const toml::node* record = fields.find("record")) {
      if (key.find(".record") != std::string::npos)
        fields.fail("record", record, "is inside another record; records cannot be nested");
      packed.record = packed_fields(key + ".record", *record);
      if (const toml::node* size = fields.find("size"))
        packed.size = fields.integer("size", *size, 1, kMaxPackedBytes);
    } else if (const toml::node* pointer = fields.find("pointer")) {
      if (key.find(".record") != std::string::npos)
        fields.fail("pointer", pointer, "is inside a record; write the fields of each struct one by one");
      packed.pointee = std::make_shared<const Pointee>(Pointee{argument(key + ".pointer", *pointer)});
    } else {
      packed_value(key, fields.require("field", "a tensor or a scalar; or record = [...], or pointer = ..."),
                   packed);
    }
    if (const toml::node* at = fields.find("at")) packed.at = fields.integer("at", *at, 0, kMaxPackedBytes);
    fields.finish();
    return packed;
  }

  void packed_value(const std::string& key, const toml::node& node, PackedField& packed) const {
    constexpr std::string_view kSums = "sums(";
    if (node.is_string()) {
      auto [word, type] = typed(key, node);
      if (word.starts_with(kSums) && word.ends_with(')')) {
        word = word.substr(kSums.size(), word.size() - kSums.size() - 1);
        if (!is_identifier(word)) fields_.fail(key, &node, "write sums(NAME), where NAME is a tensor");
        packed.sums = true;
        packed.value = {Expression(word), type.value_or(ScalarType::uint), type.has_value()};
        return;
      }
    }
    packed.value = scalar(key, node);
  }

  /// "K:ulong" to its parts.
  std::pair<std::string, std::optional<ScalarType>> typed(const std::string& key,
                                                          const toml::node& node) const {
    const std::string text = fields_.string(key, node);
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) return {text, std::nullopt};
    const std::string type = text.substr(colon + 1);
    std::string known;
    for (int i = 0; i <= static_cast<int>(ScalarType::float_); ++i) {
      const auto candidate = static_cast<ScalarType>(i);
      if (type == name_of(candidate)) return {text.substr(0, colon), candidate};
      known += (i == 0 ? "" : ", ") + std::string(name_of(candidate));
    }
    fields_.fail(key, &node,
                 fmt::format("\"{}\": {} is not the type of a scalar; the types are {}", text, type, known));
  }

  ScalarField scalar(const std::string& key, const toml::node& node) const {
    if (node.is_number()) {
      const auto type = node.is_integer() ? ScalarType::uint : ScalarType::float_;
      return {read_expression(fields_, key, node, fields_.literal(key, node, "", "")), type};
    }
    if (!node.is_string()) fields_.fail(key, &node, "is neither a name nor a number");
    const auto [text, type] = typed(key, node);
    return {read_expression(fields_, key, node, text), type.value_or(ScalarType::uint), type.has_value()};
  }

  TomlFields& fields_;
  const std::filesystem::path& manifest_;
  std::map<std::string, std::uint32_t>& lines_;
};

}  // namespace

std::vector<ArgumentEntry> read_arguments(TomlFields& fields, const std::filesystem::path& manifest,
                                          std::map<std::string, std::uint32_t>& lines) {
  return ArgumentsReader(fields, manifest, lines).read();
}

Expression read_quantity(const TomlFields& fields, const std::string& key, const toml::node& node) {
  if (node.is_string()) return read_expression(fields, key, node, fields.string(key, node));
  return Expression(std::to_string(fields.integer(key, node, 0, kMaxInt64)));
}

bool is_identifier(std::string_view word) {
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace assay
