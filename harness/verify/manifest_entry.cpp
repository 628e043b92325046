#include "harness/verify/manifest_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "harness/device/metal_version.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/manifest_body.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "harness/verify/manifest_textures.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay {
namespace {

// Metal's most threads of a threadgroup.
constexpr std::int64_t kMaxThreads = 1024;
// What a threadgroup computes: far more than fits in its memory.
constexpr std::int64_t kMaxTileSide = 1 << 16;
// No case is larger along one dimension.
constexpr std::int64_t kMaxRequired = std::int64_t{1} << 31;
// Each is among the cases of every run.
constexpr std::size_t kMaxShapes = 64;

constexpr std::size_t kMaxFunction = 1000;
constexpr std::string_view kSameValueWrites = "same_value_writes";
constexpr std::string_view kSaturatingConversions = "saturating_conversions";

/// What keeps `text` from being preprocessing tokens on one line; "" where nothing does.
std::string_view no_token_list(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//") || rest.starts_with("/*")) return "holds a comment";
    if (text[i] == '\\') return "holds a '\\' outside of a string";
    if (text[i] != '"' && text[i] != '\'') continue;
    const char quote = text[i];
    for (++i; i < text.size() && text[i] != quote; ++i) i += text[i] == '\\' ? 1 : 0;
    if (i >= text.size()) return "holds a string that is not closed";
  }
  return "";
}

/// true, false, or what begins as a number does and goes on as one may.
bool is_literal(std::string_view text) {
  if (text == "true" || text == "false") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && digit(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._'+-").find(c) != std::string_view::npos;
  });
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
    read_textures(fields_, entry_);
    // A kernel may have textures alone.
    if (!read_body(fields_, entry_) && (fields_.has("arguments") || entry_.textures.empty()))
      entry_.arguments = read_arguments(fields_, entry_.manifest, entry_.lines);
    launch();
    build();
    arithmetic();
    semantics();
    requirements();
    shapes();
    auto claims = fields_.table("claims");
    claims.each([&](const std::string& key, const toml::node& node) {
      entry_.claims[key] = claims.number(key, node, 0);
      entry_.lines["claims." + key] = node.source().begin.line;
    });
    fields_.finish();
    return std::move(entry_);
  }

 private:
  void identity() {
    entry_.name = fields_.string(
        "name", fields_.require("name", "the kernel's name in reports and on the command line"), kMaxName);
    if (!is_kernel_name(entry_.name)) {
      fields_.fail("name", fields_.find("name"),
                   "has characters other than letters, digits, '_', '-' and '.'");
    }
    const toml::node* function = fields_.find("function");
    entry_.function = function != nullptr ? fields_.string("function", *function, kMaxFunction) : entry_.name;
    entry_.source = resolve(
        fields_.string("source", fields_.require("source", "the .metal file, relative to the manifest")));
    if (fields_.has("tensors") && !fields_.has("operation")) return buffers();
    entry_.operation = fields_.string("operation",
                                      fields_.require("operation",
                                                      "what the kernel computes, such as \"gemm_fp4\"; to "
                                                      "check a kernel without right answers, list its "
                                                      "buffers as tensors and dimensions"),
                                      kMaxName);
    for (const char* key : {"tensors", "dimensions", "launches"}) {
      if (fields_.has(key))
        fields_.fail(key, fields_.find(key),
                     "is part of the operation; leave out either this field or the operation");
    }
  }

  void buffers() {
    fields_.find("operation");
    entry_.operation = kBuffersAlone;
    StatedOperation stated;
    stated.name = kBuffersAlone;
    stated.manifest = entry_.manifest;
    stated.line = entry_.lines.at("");
    read_buffers(fields_, stated);
    entry_.stated = std::make_shared<const StatedOperation>(std::move(stated));
  }

  std::filesystem::path resolve(const std::filesystem::path& path) const {
    return entry_.manifest.parent_path() / path;
  }

  void launch() {
    const toml::node& threads = fields_.require("threads_per_threadgroup", "a number or [x, y, z]");
    entry_.threads_per_threadgroup = size3("threads_per_threadgroup", threads);
    const auto& sides = entry_.threads_per_threadgroup;
    if (const std::int64_t all = std::int64_t{sides.x} * sides.y * sides.z; all > kMaxThreads) {
      fields_.fail("threads_per_threadgroup", &threads,
                   fmt::format("makes {} threads; a threadgroup has at most {}", all, kMaxThreads));
    }
    if (fields_.has("tile")) {
      TomlFields tile = fields_.table("tile");
      const auto side = [&](std::string_view key) {
        return tile.integer(key, tile.require(key, "a side of the tile in elements"), 1, kMaxTileSide);
      };
      entry_.tile = Tile{side("m"), side("n"), side("k")};
      tile.finish();
    }
    fields_.find("tile");
    grid();
    if (const toml::node* resident = fields_.find("resident_threadgroups")) {
      entry_.resident_threadgroups = static_cast<std::uint32_t>(
          fields_.integer("resident_threadgroups", *resident, 2, kMostResidentThreadgroups));
    }
    if (const toml::node* accepted = fields_.find("accept")) {
      for (const toml::node& one : fields_.array("accept", *accepted)) {
        const std::string word = fields_.string("accept", one);
        if (word != kSameValueWrites && word != kSaturatingConversions) {
          fields_.fail("accept", &one,
                       fmt::format("takes \"{}\" and \"{}\", and nothing else", kSameValueWrites,
                                   kSaturatingConversions));
        }
        (word == kSameValueWrites ? entry_.accepts_same_value_writes
                                  : entry_.accepts_saturating_conversions) = true;
      }
    }
    if (const toml::node* memory = fields_.find("threadgroup_memory")) {
      const toml::array& list = fields_.array("threadgroup_memory", *memory);
      if (list.size() > kMaxArguments) {
        fields_.fail("threadgroup_memory", memory,
                     fmt::format("has {} entries; write at most {}", list.size(), kMaxArguments));
      }
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string key = fmt::format("threadgroup_memory[{}]", i);
        entry_.lines[key] = list[i].source().begin.line;
        entry_.threadgroup_memory.push_back(read_quantity(fields_, key, list[i]));
      }
    }
  }

  device::Size3 size3(std::string_view key, const toml::node& node) const {
    device::Size3 size;
    const auto side = [&](const toml::node& n) {
      return static_cast<std::uint32_t>(fields_.integer(key, n, 1, kMaxThreads));
    };
    if (!node.is_array()) {
      size.x = side(node);
      return size;
    }
    const toml::array& list = *node.as_array();
    if (list.empty() || list.size() > 3)
      fields_.fail(key, &node, "is not a list of one to three numbers [x, y, z]");
    std::uint32_t* const sides[] = {&size.x, &size.y, &size.z};
    for (std::size_t i = 0; i < list.size(); ++i) *sides[i] = side(list[i]);
    return size;
  }

  void grid() {
    const toml::node& node = fields_.require("grid", "\"tiles\", \"elements\", \"rows\" or [x, y, z]");
    const toml::node* unit = fields_.find("grid_unit");
    GridSpec& grid = entry_.grid;
    if (const toml::array* list = node.as_array()) {
      if (list->size() != grid.size.size())
        fields_.fail("grid", &node, fmt::format("has {} sizes; write three: [x, y, z]", list->size()));
      for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string key = fmt::format("grid[{}]", i);
        entry_.lines[key] = (*list)[i].source().begin.line;
        grid.size[i] = read_quantity(fields_, key, (*list)[i]);
      }
      if (unit != nullptr) {
        const std::string text = fields_.string("grid_unit", *unit);
        if (text != "threads" && text != "threadgroups") {
          fields_.fail("grid_unit", unit,
                       fmt::format("is \"{}\"; write \"threadgroups\" or \"threads\"", text));
        }
        grid.in_threads = text == "threads";
      }
      if (entry_.mlx) grid.in_threads = true;
      return;
    }
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
    if (unit != nullptr) fields_.fail("grid_unit", unit, "goes with a grid that is a list; leave it out");
  }

  void build() {
    TomlFields defines = fields_.table("defines");
    defines.each([&](const std::string& key, const toml::node& node) {
      if (!is_identifier(key)) defines.fail(key, &node, "is not a macro name; use letters, digits and '_'");
      const std::string value = defines.literal(key, node, "1", "0");
      if (const auto why = no_token_list(value); !why.empty())
        defines.fail(key, &node, fmt::format("{}; write text that may follow #define {}", why, key));
      entry_.defines[key] = value;
    });
    if (const toml::node* node = fields_.find("metal_version")) {
      const auto version = device::metal_version_from(fields_.string("metal_version", *node));
      if (!version)
        fields_.fail("metal_version", node, "is no version of Metal; write one such as \"3.1\", in quotes");
      entry_.defines[device::kMetalVersionMacro] = std::to_string(*version);
    }
    TomlFields constants = fields_.table("function_constants");
    constants.each([&](const std::string& key, const toml::node& node) {
      const bool digits = std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!digits || key.empty() || key.size() > 5 || std::stoul(key) > 65535) {
        constants.fail(key, &node,
                       "is not an index; name constants by the number in [[function_constant(number)]]");
      }
      const std::string value = constants.literal(key, node, "true", "false");
      if (!is_literal(value)) constants.fail(key, &node, "is not a literal; write a number, true or false");
      const auto index = static_cast<std::uint32_t>(std::stoul(key));
      if (!entry_.function_constants.emplace(index, value).second)
        constants.fail(key, &node, fmt::format("gives a second value to constant {}", index));
      entry_.lines[fmt::format("function_constants.{}", index)] = node.source().begin.line;
    });
    paths("include_dirs", entry_.include_dirs);
    paths("text_prefix", entry_.text_prefix);
  }

  void paths(const std::string& field, std::vector<std::filesystem::path>& into) {
    const toml::node* node = fields_.find(field);
    if (node == nullptr) return;
    const toml::array& list = fields_.array(field, *node);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string key = fmt::format("{}[{}]", field, i);
      entry_.lines[key] = list[i].source().begin.line;
      into.push_back(resolve(fields_.string(key, list[i])));
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

  // Which words there are the operation knows.
  void semantics() {
    TomlFields words = fields_.table("semantics");
    words.each([&](const std::string& key, const toml::node& node) {
      if (key.size() > kMaxName) words.fail(key, &node, "is too long for the name of a field");
      entry_.arithmetic.semantics[key] = words.string(key, node, kMaxName);
      entry_.lines["semantics." + key] = node.source().begin.line;
    });
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
      if (key.size() > kMaxName) table.fail(key, &node, "is too long for the name of a dimension");
      entry_.lines["requires." + key] = node.source().begin.line;
      const auto number = [&](const toml::node& value) { return table.integer(key, value, 1, kMaxRequired); };
      if (ends("_max")) {
        stem("_max").max = number(node);
      } else if (ends("_min")) {
        stem("_min").min = number(node);
      } else if (ends("_multiple")) {
        stem("_multiple").multiple = number(node);
      } else {
        auto& values = stem("").one_of;
        const auto add = [&](const toml::node& value) {
          values.push_back(number(value));
          if (std::count(values.begin(), values.end(), values.back()) > 1)
            table.fail(key, &value, fmt::format("names {} twice", values.back()));
        };
        const toml::array* list = node.as_array();
        if (list == nullptr) add(node);
        if (list != nullptr && list->empty())
          table.fail(key, &node, "is an empty list; write the values that the kernel takes");
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) add((*list)[i]);
      }
    });
    for (const auto& [dimension, requirement] : entry_.requirements) {
      if (requirement.min && requirement.max && *requirement.min > *requirement.max) {
        throw entry_.error("requires", fmt::format("no {} is {}", dimension, requirement.describe()));
      }
    }
  }

  void shapes() {
    const toml::node* node = fields_.find("shapes");
    if (node == nullptr) return;
    const toml::array& list = fields_.array("shapes", *node);
    if (list.empty() || list.size() > kMaxShapes) {
      fields_.fail("shapes", node,
                   fmt::format("has {} entries; write 1 to {} such as {{ M = 1, N = 4096, K = 4096 }}",
                               list.size(), kMaxShapes));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string key = fmt::format("shapes[{}]", i);
      entry_.lines[key] = list[i].source().begin.line;
      const toml::table* table = list[i].as_table();
      if (table == nullptr || table->empty())
        fields_.fail(key, &list[i], "names no dimensions; write a table such as { M = 1, N = 4096 }");
      Dims shape;
      TomlFields sizes(*table, entry_.manifest, key + ".");
      sizes.each([&](const std::string& name, const toml::node& size) {
        if (name.size() > kMaxName)
          fields_.fail(key, &list[i], "holds something other than the name of a dimension");
        shape[name] = sizes.integer(name, size, 1, kMaxRequired);
      });
      const auto known = std::find(entry_.shapes.begin(), entry_.shapes.end(), shape);
      if (known != entry_.shapes.end())
        fields_.fail(key, &list[i], fmt::format("is shapes[{}] again", known - entry_.shapes.begin()));
      entry_.shapes.push_back(std::move(shape));
    }
  }

  TomlFields fields_;
  KernelEntry entry_;
};

}  // namespace

bool is_kernel_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
}

KernelEntry read_entry(const toml::table& table, const std::filesystem::path& file) {
  return EntryReader(table, file).read();
}

}  // namespace assay
