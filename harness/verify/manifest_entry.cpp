#include "harness/verify/manifest_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "harness/verify/toml_fields.hpp"

namespace assay::verify {
namespace {

constexpr std::int64_t kMaxUint32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
// Metal's argument tables: buffer indices 0 to 30.
constexpr std::size_t kMaxArguments = 31;

bool is_identifier(std::string_view word) {
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// Reads one [[kernel]] table.
class EntryReader {
 public:
  EntryReader(const toml::table& table, const std::filesystem::path& file) : fields_(table, file) {
    entry_.manifest = file;
    entry_.lines[""] = table.source().begin.line;
    for (const auto& [key, node] : table) entry_.lines[std::string(key.str())] = node.source().begin.line;
  }

  KernelEntry read() {
    identity();
    arguments();
    launch();
    build();
    arithmetic();
    requirements();
    auto claims = fields_.table("claims");
    claims.each([&](const std::string& key, const toml::node& node) {
      entry_.claims[key] = claims.number(key, node);
      entry_.lines["claims." + key] = node.source().begin.line;
    });
    fields_.finish();
    return std::move(entry_);
  }

 private:
  void identity() {
    entry_.name = fields_.string(
        "name", fields_.require("name", "the kernel's name in reports and on the command line"));
    const auto plain = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    };
    if (!std::all_of(entry_.name.begin(), entry_.name.end(), plain)) {
      fields_.fail("name", fields_.find("name"),
                   "holds other characters than letters, digits, '_', '-' and '.'");
    }
    const toml::node* function = fields_.find("function");
    entry_.function = function != nullptr ? fields_.string("function", *function) : entry_.name;
    entry_.source = resolve(
        fields_.string("source", fields_.require("source", "the .metal file, relative to the manifest")));
    entry_.operation = fields_.string(
        "operation", fields_.require("operation", "what the kernel computes, e.g. \"gemm_fp4\""));
  }

  std::filesystem::path resolve(const std::filesystem::path& path) const {
    return entry_.manifest.parent_path() / path;
  }

  void arguments() {
    const toml::node& node =
        fields_.require("arguments", "the list of tensors and scalars in buffer index order");
    const toml::array& list = fields_.array("arguments", node);
    if (list.empty() || list.size() > kMaxArguments) {
      fields_.fail("arguments", &node,
                   fmt::format("has {} entries; write 1 to {}", list.size(), kMaxArguments));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      entry_.arguments.push_back(argument(fmt::format("arguments[{}]", i), list[i]));
    }
  }

  ArgumentEntry argument(const std::string& key, const toml::node& node) {
    entry_.lines[key] = node.source().begin.line;
    if (const toml::array* list = node.as_array()) {
      if (list->empty()) fields_.fail(key, &node, "is an empty list; write the scalars of the struct");
      ScalarArgument scalars;
      for (std::size_t i = 0; i < list->size(); ++i) {
        scalars.fields.push_back(scalar(fmt::format("{}[{}]", key, i), (*list)[i]));
      }
      return scalars;
    }
    if (node.is_string()) {
      const auto [word, type] = typed(key, node);
      if (word == "-") return UnboundArgument{};
      if (is_identifier(word)) return NamedArgument{word, type};
    }
    return ScalarArgument{{scalar(key, node)}};
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
                 fmt::format("\"{}\": {} is no type of a scalar; there are {}", text, type, known));
  }

  ScalarField scalar(const std::string& key, const toml::node& node) const {
    if (node.is_number()) {
      const auto type = node.is_integer() ? ScalarType::uint : ScalarType::float_;
      return {expression(key, node, fields_.literal(key, node, "", "")), type};
    }
    if (!node.is_string()) fields_.fail(key, &node, "is neither a name nor a number");
    const auto [text, type] = typed(key, node);
    return {expression(key, node, text), type.value_or(ScalarType::uint)};
  }

  Expression expression(const std::string& key, const toml::node& node, std::string_view text) const {
    if (text.starts_with("=")) text.remove_prefix(1);
    try {
      return Expression(text);
    } catch (const ExpressionError& e) {
      fields_.fail(key, &node, e.what());
    }
  }

  /// A whole number or an expression.
  Expression quantity(const std::string& key, const toml::node& node) const {
    if (node.is_string()) return expression(key, node, fields_.string(key, node));
    return Expression(std::to_string(fields_.integer(key, node, 0, kMaxInt64)));
  }

  void launch() {
    const toml::node& threads = fields_.require("threads_per_threadgroup", "a number or [x, y, z]");
    entry_.threads_per_threadgroup = size3("threads_per_threadgroup", threads);
    if (fields_.has("tile")) {
      TomlFields tile = fields_.table("tile");
      const auto side = [&](std::string_view key) {
        return tile.integer(key, tile.require(key, "a side of the tile in elements"), 1, kMaxUint32);
      };
      entry_.tile = Tile{side("m"), side("n"), side("k")};
      tile.finish();
    }
    fields_.find("tile");
    grid();
    if (const toml::node* memory = fields_.find("threadgroup_memory")) {
      const toml::array& list = fields_.array("threadgroup_memory", *memory);
      for (std::size_t i = 0; i < list.size(); ++i) {
        entry_.threadgroup_memory.push_back(quantity(fmt::format("threadgroup_memory[{}]", i), list[i]));
      }
    }
  }

  device::Size3 size3(std::string_view key, const toml::node& node) const {
    device::Size3 size;
    const auto side = [&](const toml::node& n) {
      return static_cast<std::uint32_t>(fields_.integer(key, n, 1, kMaxUint32));
    };
    if (!node.is_array()) {
      size.x = side(node);
      return size;
    }
    const toml::array& list = *node.as_array();
    if (list.empty() || list.size() > 3)
      fields_.fail(key, &node, "is no list of one to three numbers [x, y, z]");
    std::uint32_t* const sides[] = {&size.x, &size.y, &size.z};
    for (std::size_t i = 0; i < list.size(); ++i) *sides[i] = side(list[i]);
    return size;
  }

  void grid() {
    const toml::node& node = fields_.require("grid", "\"tiles\", \"elements\", \"rows\" or [x, y, z]");
    const toml::node* unit = fields_.find("grid_unit");
    GridSpec& grid = entry_.grid;
    if (const toml::array* list = node.as_array()) {
      if (list->empty() || list->size() > 3)
        fields_.fail("grid", &node, "is no list of one to three sizes [x, y, z]");
      grid.size.fill(Expression("1"));
      for (std::size_t i = 0; i < list->size(); ++i)
        grid.size[i] = quantity(fmt::format("grid[{}]", i), (*list)[i]);
      if (unit != nullptr) {
        const std::string text = fields_.string("grid_unit", *unit);
        if (text != "threads" && text != "threadgroups") {
          fields_.fail("grid_unit", unit,
                       fmt::format("is \"{}\"; write \"threadgroups\" or \"threads\"", text));
        }
        grid.in_threads = text == "threads";
      }
      return;
    }
    if (unit != nullptr) fields_.fail("grid_unit", unit, "goes with a grid that is a list; leave it out");
    const std::string rule = fields_.string("grid", node);
    if (rule == "tiles") {
      grid.rule = GridRule::tiles;
      if (!entry_.tile)
        fields_.fail("grid", &node, "\"tiles\" needs the field tile = { m = ..., n = ..., k = ... }");
    } else if (rule == "elements") {
      grid.rule = GridRule::elements;
      grid.in_threads = true;
    } else if (rule == "rows") {
      grid.rule = GridRule::rows;
    } else {
      fields_.fail("grid", &node,
                   fmt::format("is \"{}\"; write \"tiles\", \"elements\", \"rows\" or [x, y, z]", rule));
    }
  }

  void build() {
    TomlFields defines = fields_.table("defines");
    defines.each([&](const std::string& key, const toml::node& node) {
      if (!is_identifier(key)) defines.fail(key, &node, "is no macro name; use letters, digits and '_'");
      entry_.defines[key] = defines.literal(key, node, "1", "0");
    });
    TomlFields constants = fields_.table("function_constants");
    constants.each([&](const std::string& key, const toml::node& node) {
      const bool digits = std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!digits || key.empty() || key.size() > 5 || std::stoul(key) > 65535) {
        constants.fail(key, &node,
                       "is no index; name constants by the number in [[function_constant(number)]]");
      }
      entry_.function_constants[static_cast<std::uint32_t>(std::stoul(key))] =
          constants.literal(key, node, "true", "false");
    });
    if (const toml::node* dirs = fields_.find("include_dirs")) {
      for (const toml::node& dir : fields_.array("include_dirs", *dirs)) {
        entry_.include_dirs.push_back(resolve(fields_.string("include_dirs", dir)));
      }
    }
  }

  void arithmetic() {
    TomlFields table = fields_.table("arithmetic");
    const auto precision = [&](std::string_view key, Precision& into) {
      const toml::node* node = table.find(key);
      if (node == nullptr) return;
      const std::string text = table.string(key, *node);
      if (text != "half" && text != "float")
        table.fail(key, node, fmt::format("is \"{}\"; write \"half\" or \"float\"", text));
      into = text == "half" ? Precision::half_precision : Precision::float_precision;
    };
    precision("dequantize", entry_.arithmetic.dequantize);
    precision("accumulate", entry_.arithmetic.accumulate);
    precision("intermediate", entry_.arithmetic.intermediate);
    table.finish();
  }

  void requirements() {
    TomlFields table = fields_.table("requires");
    table.each([&](const std::string& key, const toml::node& node) {
      const auto ends = [&](std::string_view suffix) {
        return key.size() > suffix.size() && key.ends_with(suffix);
      };
      const auto stem = [&](std::string_view suffix) -> Requirement& {
        return entry_.requirements[key.substr(0, key.size() - suffix.size())];
      };
      if (ends("_max")) {
        stem("_max").max = table.integer(key, node, 1, kMaxInt64);
      } else if (ends("_min")) {
        stem("_min").min = table.integer(key, node, 1, kMaxInt64);
      } else if (ends("_multiple")) {
        stem("_multiple").multiple = table.integer(key, node, 1, kMaxInt64);
      } else if (const toml::array* list = node.as_array()) {
        if (list->empty()) table.fail(key, &node, "is an empty list; write the values that the kernel takes");
        for (const toml::node& value : *list)
          stem("").one_of.push_back(table.integer(key, value, 1, kMaxInt64));
      } else {
        stem("").one_of.push_back(table.integer(key, node, 1, kMaxInt64));
      }
    });
    for (const auto& [dimension, requirement] : entry_.requirements) {
      if (requirement.min && requirement.max && *requirement.min > *requirement.max) {
        throw entry_.error("requires", fmt::format("no {} is {}", dimension, requirement.describe()));
      }
    }
  }

  TomlFields fields_;
  KernelEntry entry_;
};

}  // namespace

KernelEntry read_entry(const toml::table& table, const std::filesystem::path& file) {
  return EntryReader(table, file).read();
}

}  // namespace assay::verify
