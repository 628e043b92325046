#include "harness/verify/manifest_operation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "harness/verify/manifest.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/manifest_entry.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

constexpr std::size_t kMaxTensors = 64, kMaxAxes = 8, kMaxListed = 4096;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 31;
constexpr unsigned kMaxLaunches = 8;
constexpr double kMaxUlps = 1 << 20;

struct TypeRow {
  std::string_view name;
  DType dtype;
};

constexpr std::array<TypeRow, 10> kTypes = {{{"half", DType::f16},
                                             {"float", DType::f32},
                                             {"bfloat", DType::bf16},
                                             {"char", DType::i8},
                                             {"uchar", DType::u8},
                                             {"bool", DType::u8},
                                             {"short", DType::i16},
                                             {"ushort", DType::u16},
                                             {"int", DType::i32},
                                             {"uint", DType::u32}}};

/// A list of tables, or of strings that stand for tables with a name alone: calls take(fields) for each.
template <class Take>
void each_of(TomlFields& fields, const std::string& key, const toml::node& node, std::size_t most,
             const std::filesystem::path& file, const Take& take) {
  const toml::array& list = fields.array(key, node);
  if (list.empty() || list.size() > most)
    fields.fail(key, &node, fmt::format("has {} entries; write 1 to {}", list.size(), most));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", key, i);
    if (const auto name = list[i].value_exact<std::string>()) {
      const toml::table alone{{"name", *name}};
      TomlFields one(alone, file, place + ".");
      take(one, list[i].source().begin.line);
      continue;
    }
    const toml::table* table = list[i].as_table();
    if (table == nullptr) fields.fail(place, &list[i], "is not a table; write { name = \"...\" }");
    TomlFields one(*table, file, place + ".");
    take(one, list[i].source().begin.line);
    one.finish();
  }
}

std::string identifier(TomlFields& fields, std::string_view what) {
  const toml::node& node = fields.require("name", what);
  std::string name = fields.string("name", node, kMaxName);
  if (!is_identifier(name))
    fields.fail("name", &node, fmt::format("`{}` is not a name; use letters, digits and _", shown(name)));
  return name;
}

std::vector<std::int64_t> sizes(TomlFields& fields, std::string_view key, std::int64_t least) {
  std::vector<std::int64_t> found;
  const toml::node* node = fields.find(key);
  if (node == nullptr) return found;
  const toml::array& list = fields.array(key, *node);
  if (list.empty() || list.size() > kMaxListed)
    fields.fail(key, node, fmt::format("has {} entries; write 1 to {}", list.size(), kMaxListed));
  for (const toml::node& one : list) {
    const std::int64_t size = fields.integer(key, one, least, kMaxSize);
    if (std::find(found.begin(), found.end(), size) != found.end())
      fields.fail(key, &one, fmt::format("names {} twice", size));
    found.push_back(size);
  }
  return found;
}

bool truth(TomlFields& fields, std::string_view key) {
  const toml::node* node = fields.find(key);
  if (node == nullptr) return false;
  const auto value = node->value_exact<bool>();
  if (!value) fields.fail(key, node, "is neither true nor false");
  return *value;
}

StatedDimension read_dimension(TomlFields& fields) {
  StatedDimension one;
  one.name = identifier(fields, "the dimension's name, such as \"M\"");
  const auto size = [&](std::string_view key, std::int64_t& value) {
    if (const toml::node* node = fields.find(key)) value = fields.integer(key, *node, 1, kMaxSize);
  };
  size("least", one.least);
  size("multiple", one.multiple);
  size("largest", one.largest);
  one.edges = sizes(fields, "edges", 1);
  one.choices = sizes(fields, "values", 1);
  one.reduced = truth(fields, "reduced");
  one.independent = truth(fields, "independent");
  if (one.largest < std::max(one.least, one.multiple))
    fields.fail("largest", fields.find("largest"),
                "leaves no size; make it larger, or least and multiple smaller");
  for (const char* key : {"least", "multiple", "largest", "edges"}) {
    if (!one.choices.empty() && fields.has(key))
      fields.fail(key, fields.find(key), "means nothing beside values; leave one of them out");
  }
  if (const toml::node* tile = fields.find("tile")) {
    const std::string side = fields.string("tile", *tile, 1);
    if (side != "m" && side != "n" && side != "k")
      fields.fail("tile", tile, "is not one of \"m\", \"n\", \"k\"");
    one.tile = side.front();
  } else if (one.name == "M" || one.name == "N" || one.name == "K") {
    one.tile = one.name == "M" ? 'm' : one.name == "N" ? 'n' : 'k';
  }
  return one;
}

class ValuesReader {
 public:
  ValuesReader(TomlFields& fields, const toml::node& node, DType dtype, const std::filesystem::path& file)
      : fields_(fields), node_(node), dtype_(dtype), file_(file) {}

  StatedValues read() {
    if (node_.is_number()) {
      const double value = number("values", node_);
      return {.kind = StatedValues::Kind::constant, .low = value, .high = value};
    }
    if (node_.is_string()) return word(fields_.string("values", node_, kMaxName));
    const toml::table* table = node_.as_table();
    if (table == nullptr) refuse();
    TomlFields inner(*table, file_, "values.");
    StatedValues values;
    if (const toml::node* below = inner.find("below")) {
      if (!is_integer(dtype_)) inner.fail("below", below, "is of whole numbers; use from and to");
      values = {.kind = StatedValues::Kind::below, .limit = read_quantity(inner, "below", *below)};
    } else if (const toml::node* listed = inner.find("one_of")) {
      values.kind = StatedValues::Kind::listed;
      const toml::array& list = inner.array("one_of", *listed);
      if (list.empty() || list.size() > kMaxListed)
        inner.fail("one_of", listed, fmt::format("has {} entries; write 1 to {}", list.size(), kMaxListed));
      for (const toml::node& one : list) values.list.push_back(number("one_of", one));
    } else {
      values = {.kind = StatedValues::Kind::range,
                .low = number("from", inner.require("from", "the least value, beside `to`")),
                .high = number("to", inner.require("to", "the largest value, beside `from`"))};
      if (values.high < values.low) inner.fail("to", inner.find("to"), "is below from");
    }
    inner.finish();
    return values;
  }

 private:
  [[noreturn]] void refuse() const {
    fields_.fail(
        "values", &node_,
        "is not one of \"normal\", \"positive\", \"integers\", \"bits\", \"zeros\", \"ones\", \"unit\", a "
        "number, { below = }, { from =, to = }, { one_of = [] }");
  }

  /// What an element of the type can be; of whole numbers, exactly.
  double number(std::string_view key, const toml::node& node) const {
    const double value = fields_.number(key, node);
    double low = std::numeric_limits<float>::lowest(), high = std::numeric_limits<float>::max();
    switch (dtype_) {
      case DType::f16:
        low = -65504, high = 65504;
        break;
      case DType::i8:
        low = -128, high = 127;
        break;
      case DType::u8:
        low = 0, high = 255;
        break;
      case DType::i16:
        low = -32768, high = 32767;
        break;
      case DType::u16:
        low = 0, high = 65535;
        break;
      case DType::i32:
        low = -0x1p31, high = 0x1p31 - 1;
        break;
      case DType::u32:
        low = 0, high = 0x1p32 - 1;
        break;
      default:
        break;
    }
    if (value < low || value > high ||
        (is_integer(dtype_) && value != static_cast<double>(static_cast<std::int64_t>(value))))
      fields_.fail(key, &node, fmt::format("{} is not a value of the tensor's type", value));
    return value;
  }

  StatedValues word(const std::string& text) const {
    using Kind = StatedValues::Kind;
    if (text == "zeros") return {.kind = Kind::constant};
    if (text == "ones") return {.kind = Kind::constant, .low = 1, .high = 1};
    constexpr std::array<std::pair<std::string_view, Kind>, 5> kWords = {{{"normal", Kind::normal},
                                                                          {"positive", Kind::positive},
                                                                          {"integers", Kind::integers},
                                                                          {"bits", Kind::bits},
                                                                          {"unit", Kind::unit}}};
    for (const auto& [name, kind] : kWords) {
      if (text != name) continue;
      if ((kind == Kind::normal || kind == Kind::positive) && is_integer(dtype_))
        fields_.fail("values", &node_,
                     "is for floating-point numbers; write \"integers\" or { below = ... }");
      return {.kind = kind};
    }
    refuse();
  }

  TomlFields& fields_;
  const toml::node& node_;
  DType dtype_;
  const std::filesystem::path& file_;
};

/// What the author says that the tensor never holds.
std::vector<std::string> read_never(TomlFields& fields, const StatedTensor& tensor) {
  std::vector<std::string> never;
  const toml::node* node = fields.find("never");
  if (node == nullptr) return never;
  if (tensor.access == StatedTensor::Access::out)
    fields.fail("never", node, "describes an output, which starts with garbage; leave it out");
  for (const toml::node& one : fields.array("never", *node)) {
    const std::string word = fields.string("never", one, kMaxName);
    if (std::find(kNever.begin(), kNever.end(), word) == kNever.end())
      fields.fail("never", &one, fmt::format("`{}` is not one of {}", shown(word), fmt::join(kNever, ", ")));
    if (std::find(never.begin(), never.end(), word) != never.end())
      fields.fail("never", &one, fmt::format("names {} twice", word));
    never.push_back(word);
  }
  return never;
}

StatedTensor read_tensor(TomlFields& fields, const std::filesystem::path& file) {
  StatedTensor one;
  one.name = identifier(fields, "the buffer's name, as arguments use it");
  const toml::node& type = fields.require("type", "the element type, such as \"half\"");
  one.type = fields.string("type", type, kMaxName);
  const auto* row = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeRow& known) { return known.name == one.type; });
  if (row == kTypes.end()) {
    std::vector<std::string_view> names;
    names.reserve(std::size(kTypes));
    for (const TypeRow& known : kTypes) names.push_back(known.name);
    fields.fail("type", &type, fmt::format("`{}` is not one of {}", shown(one.type), fmt::join(names, ", ")));
  }
  one.dtype = row->dtype;
  const toml::node& shape = fields.require("shape", "a list of sizes, such as [\"M\", \"ceil(N / 32)\", 16]");
  const toml::array& axes = fields.array("shape", shape);
  if (axes.size() > kMaxAxes)
    fields.fail("shape", &shape, fmt::format("has {} axes; write at most {}", axes.size(), kMaxAxes));
  for (std::size_t i = 0; i < axes.size(); ++i)
    one.shape.push_back(read_quantity(fields, fmt::format("shape[{}]", i), axes[i]));
  if (const toml::node* access = fields.find("access")) {
    const std::string word = fields.string("access", *access, kMaxName);
    if (word != "in" && word != "out" && word != "inout")
      fields.fail("access", access, "is not one of \"in\", \"out\", \"inout\"");
    one.access = word == "in"    ? StatedTensor::Access::in
                 : word == "out" ? StatedTensor::Access::out
                                 : StatedTensor::Access::in_out;
  }
  if (axes.empty() && one.access != StatedTensor::Access::in)
    fields.fail("shape", &shape, "has no axes; an output has at least one");
  const toml::node* values = fields.find("values");
  if (values != nullptr && one.access == StatedTensor::Access::out)
    fields.fail("values", values, "describes an output, which starts with garbage; leave it out");
  one.values.kind = !is_integer(one.dtype) ? StatedValues::Kind::normal : StatedValues::Kind::bits;
  if (one.type == "bool") one.values = {.kind = StatedValues::Kind::range, .low = 0, .high = 1};
  if (values != nullptr) one.values = ValuesReader(fields, *values, one.dtype, file).read();
  one.never = read_never(fields, one);
  return one;
}

void refuse_unknown(const Expression& expression, const StatedOperation& stated, const TomlFields& fields,
                    const std::string& field, const toml::node* at) {
  for (const std::string& name : expression.names()) {
    const bool known = std::any_of(stated.dimensions.begin(), stated.dimensions.end(),
                                   [&](const StatedDimension& one) { return one.name == name; });
    if (known) continue;
    std::vector<std::string> names;
    for (const auto& one : stated.dimensions) names.push_back(one.name);
    fields.fail(
        field, at,
        fmt::format("`{}` is not a dimension; the dimensions are {}", shown(name), fmt::join(names, ", ")));
  }
}

}  // namespace

void read_buffers(TomlFields& fields, StatedOperation& stated) {
  std::set<std::string> names;
  const auto unique = [&](const TomlFields& one, const std::string& name) {
    if (!names.insert(name).second) one.fail("name", nullptr, fmt::format("`{}` is there twice", name));
  };
  each_of(fields, "dimensions",
          fields.require("dimensions", "the sizes of the buffers: [\"M\", { name = \"N\", multiple = 4 }]"),
          kMaxDimensions, stated.manifest, [&](TomlFields& one, std::uint32_t line) {
            stated.dimensions.push_back(read_dimension(one));
            stated.dimensions.back().line = line;
            unique(one, stated.dimensions.back().name);
          });
  const toml::node& tensors = fields.require(
      "tensors", "the buffers: [{ name = \"x\", type = \"half\", shape = [\"M\", \"N\"] }, ...]");
  bool writes = false;
  each_of(fields, "tensors", tensors, kMaxTensors, stated.manifest, [&](TomlFields& one, std::uint32_t line) {
    stated.tensors.push_back(read_tensor(one, stated.manifest));
    StatedTensor& tensor = stated.tensors.back();
    tensor.line = line;
    unique(one, tensor.name);
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
      refuse_unknown(tensor.shape[i], stated, one, fmt::format("shape[{}]", i), one.find("shape"));
    if (tensor.values.limit)
      refuse_unknown(*tensor.values.limit, stated, one, "values.below", one.find("values"));
    writes |= tensor.access != StatedTensor::Access::in;
  });
  if (!writes)
    fields.fail("tensors", &tensors, "has no output; write access = \"out\" where the kernel stores");
  if (const toml::node* launches = fields.find("launches"))
    stated.launches = static_cast<unsigned>(fields.integer("launches", *launches, 1, kMaxLaunches));
}

StatedOperation read_operation(const toml::table& table, const std::filesystem::path& file) {
  TomlFields fields(table, file, "operation.");
  StatedOperation stated;
  stated.manifest = file;
  stated.line = table.source().begin.line;
  stated.name = identifier(fields, "how kernels name the operation");
  read_buffers(fields, stated);
  const toml::node& reference = fields.require(
      "reference", "a file of scalar C++ that says what is right, or { kernel = \"name\", ulps = 0 }");
  if (reference.is_table()) {
    TomlFields other = fields.table("reference");
    const toml::node& kernel = other.require("kernel", "a kernel of this manifest whose results are right");
    stated.reference_kernel = other.string("kernel", kernel, kMaxName);
    if (!is_kernel_name(stated.reference_kernel))
      other.fail("kernel", &kernel, "is not a name that a kernel can have");
    if (const toml::node* ulps = other.find("ulps")) {
      stated.ulps = other.number("ulps", *ulps, 0);
      if (stated.ulps > kMaxUlps)
        other.fail("ulps", ulps, "is more than 2^20, which would accept anything; write less");
    }
    other.finish();
  } else {
    stated.reference = file.parent_path() / fields.string("reference", reference);
    std::error_code failed;
    if (!std::filesystem::is_regular_file(stated.reference, failed))
      fields.fail("reference", &reference,
                  fmt::format("no file {}; paths are relative to the manifest", stated.reference.string()));
  }
  if (const toml::node* math = fields.find("math")) {
    const std::string word = fields.string("math", *math, kMaxName);
    if (word != "fast" && word != "precise") fields.fail("math", math, "is neither \"fast\" nor \"precise\"");
    stated.precise = word == "precise";
  }
  if (const toml::node* linear = fields.find("linear")) {
    const toml::array& list = fields.array("linear", *linear);
    for (const toml::node& one : list) {
      const std::string name = fields.string("linear", one, kMaxName);
      const auto tensor = std::find_if(stated.tensors.begin(), stated.tensors.end(),
                                       [&](const StatedTensor& known) { return known.name == name; });
      if (tensor == stated.tensors.end() || tensor->access != StatedTensor::Access::in ||
          is_integer(tensor->dtype))
        fields.fail("linear", &one,
                    fmt::format("`{}` is not an input of floating-point numbers", shown(name)));
      stated.linear.push_back(name);
    }
  }
  fields.finish();
  return stated;
}

}  // namespace assay
