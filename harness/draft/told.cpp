#include "harness/draft/told.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "harness/device/metal_version.hpp"
#include "harness/draft/texture_guess.hpp"
#include "harness/verify/expression.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/shown.hpp"

namespace assay::draft {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 31;
constexpr std::array<std::string_view, 10> kTypes = {"half", "float", "bfloat", "char", "uchar",
                                                     "bool", "short", "ushort", "int",  "uint"};
constexpr std::array<std::string_view, 7> kValues = {"normal", "positive", "integers", "bits",
                                                     "zeros",  "ones",     "unit"};

/// Says what is wrong with what an option was given.
class Option {
 public:
  Option(std::string_view name, const std::string& text) : name_(name), text_(text) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format("{} {}: {}", name_, shown(text_), why));
  }

  /// What stands before and behind the first "=".
  std::pair<std::string, std::string> name_and_value(std::string_view example) const {
    const auto equals = text_.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text_.size())
      fail(fmt::format("write {}", example));
    return {text_.substr(0, equals), text_.substr(equals + 1)};
  }

  std::string identifier(const std::string& name) const {
    if (!is_identifier(name)) fail(fmt::format("`{}` is not a name; use letters, digits and _", shown(name)));
    return name;
  }

  std::int64_t number(std::string_view text, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
      fail(fmt::format("`{}` is not a whole number from {} to {}", shown(text), least, most));
    return value;
  }

  std::string expression(const std::string& text) const {
    try {
      return Expression(text).text();
    } catch (const ExpressionError& error) {
      fail(error.what());
    }
  }

 private:
  std::string_view name_;
  const std::string& text_;
};

bool is_float_type(const std::string& type) { return type == "half" || type == "float" || type == "bfloat"; }

/// One word behind the type and the shape.
void read_word(const Option& option, const std::string& word, ToldBuffer& buffer) {
  const auto once = [&](auto& field, auto value) {
    if (field) option.fail(fmt::format("`{}` is said twice, or contradicts what was said before", word));
    field = std::move(value);
  };
  if (word == "in" || word == "out" || word == "inout") return once(buffer.access, word);
  if (std::find(kValues.begin(), kValues.end(), word) != kValues.end())
    return once(buffer.values, fmt::format("\"{}\"", word));
  const auto plain_number = [](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
  };
  if (plain_number(word)) return once(buffer.values, word);
  if (word.starts_with("below="))
    return once(buffer.values, fmt::format("{{ below = \"{}\" }}", option.expression(word.substr(6))));
  if (const auto dots = word.find(".."); dots != std::string::npos) {
    const std::string from = word.substr(0, dots), to = word.substr(dots + 2);
    if (!plain_number(from) || !plain_number(to))
      option.fail(fmt::format("`{}`: write FROM..TO", shown(word)));
    return once(buffer.values, fmt::format("{{ from = {}, to = {} }}", from, to));
  }
  if (const auto listed = split_outside(word, '|'); listed.size() > 1) {
    if (!std::all_of(listed.begin(), listed.end(), plain_number))
      option.fail(fmt::format("`{}`: write numbers, such as 1|2|4", shown(word)));
    return once(buffer.values, fmt::format("{{ one_of = [{}] }}", fmt::join(listed, ", ")));
  }
  option.fail(
      fmt::format("`{}` is neither in, out or inout nor values: {}, a number, below=SIZE, FROM..TO or 1|2|4",
                  shown(word), fmt::join(kValues, ", ")));
}

/// The name, and all that is said of it.
template <class IsType>
std::pair<std::string, ToldBuffer> read_buffer(const Option& option, std::string_view example,
                                               const IsType& is_type, const std::string& types) {
  const auto [name, rest] = option.name_and_value(example);
  ToldBuffer buffer;
  auto words = split_outside(rest, ':');
  std::string type = words.front();
  if (const auto open = type.find('['); open != std::string::npos) {
    if (type.back() != ']') option.fail("`[` is not closed; write the sizes as [M,N]");
    buffer.shape.emplace();
    for (const auto& axis :
         split_outside(std::string_view(type).substr(open + 1, type.size() - open - 2), ','))
      buffer.shape->push_back(option.expression(axis));
    type.resize(open);
  }
  if (is_type(type)) {
    buffer.type = type;
  } else if (!type.empty()) {
    if (buffer.shape) option.fail(fmt::format("`{}` is not one of {}", shown(type), types));
    read_word(option, type, buffer);
  }
  for (std::size_t i = 1; i < words.size(); ++i) read_word(option, words[i], buffer);
  if (buffer.access == "out" && buffer.values)
    option.fail("an output has no values at the start; leave the values out");
  return {option.identifier(name), buffer};
}

void refuse_below(const Option& option, const ToldBuffer& buffer) {
  if (buffer.values && buffer.values->find("below") != std::string::npos)
    option.fail("below= needs a type of whole numbers");
}

}  // namespace

std::vector<std::string> split_outside(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c == separator && depth == 0) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

void tell_buffer(Told& told, const std::string& text) {
  const Option option("--buffer", text);
  const auto [name, buffer] = read_buffer(
      option, "NAME=TYPE[SIZES]:ACCESS:VALUES, such as y=half[M,N]:out",
      [](const std::string& type) { return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end(); },
      fmt::format("{}", fmt::join(kTypes, ", ")));
  if (buffer.type && is_float_type(*buffer.type)) refuse_below(option, buffer);
  if (!told.buffers.emplace(name, buffer).second) option.fail(fmt::format("`{}` is given twice", name));
}

void tell_texture(Told& told, const std::string& text) {
  const Option option("--texture", text);
  const auto [name, texture] = read_buffer(
      option, "NAME=FORMAT[EXTENTS]:ACCESS:VALUES, such as image=rgba16float[H,W]",
      [](const std::string& format) { return device::texture_format(format).has_value(); },
      "the formats of docs/manifest.md, such as rgba16float, r32uint or rgba8unorm");
  if (texture.type && is_float_type(type_of_channels(*device::texture_format(*texture.type))))
    refuse_below(option, texture);
  if (!told.textures.emplace(name, texture).second) option.fail(fmt::format("`{}` is given twice", name));
}

void tell_dimension(Told& told, const std::string& text) {
  const Option option("--dim", text);
  const auto [name, rest] =
      option.name_and_value("NAME=LEAST:LARGEST, such as N=1:4096; N=64; or N=32,64,128");
  ToldDimension dimension;
  if (rest.find(':') != std::string::npos) {
    const auto parts = split_outside(rest, ':');
    if (parts.size() > 3) option.fail("write LEAST:LARGEST or LEAST:LARGEST:MULTIPLE");
    if (!parts[0].empty()) dimension.least = option.number(parts[0], 1, kMostSize);
    if (!parts[1].empty()) dimension.largest = option.number(parts[1], 1, kMostSize);
    if (parts.size() == 3) dimension.multiple = option.number(parts[2], 1, kMostSize);
    if (dimension.largest &&
        *dimension.largest < std::max(dimension.least.value_or(1), dimension.multiple.value_or(1)))
      option.fail("allows no size; change the numbers");
  } else {
    for (const auto& value : split_outside(rest, ','))
      dimension.values.push_back(option.number(value, 1, kMostSize));
  }
  if (!told.dimensions.emplace(option.identifier(name), dimension).second)
    option.fail(fmt::format("`{}` is given twice", name));
}

void tell_scalar(Told& told, const std::string& text) {
  const Option option("--scalar", text);
  const auto [name, value] = option.name_and_value("NAME=VALUE, such as eps=1e-5 or stride=N");
  if (!told.scalars.emplace(option.identifier(name), option.expression(value)).second)
    option.fail(fmt::format("`{}` is given twice", name));
}

void tell_threads(Told& told, const std::string& text) {
  const Option option("--threads", text);
  const auto sides = split_outside(text, ',');
  if (sides.size() > 3) option.fail("write one to three sides: 64 or 16,16");
  device::Size3 size;
  std::uint32_t* const into[] = {&size.x, &size.y, &size.z};
  for (std::size_t i = 0; i < sides.size(); ++i)
    *into[i] = static_cast<std::uint32_t>(option.number(sides[i], 1, 1024));
  if (const auto all = std::uint64_t{size.x} * size.y * size.z; all > 1024)
    option.fail(fmt::format("makes {} threads; a threadgroup has at most 1,024", all));
  told.threads = size;
}

void tell_grid(Told& told, const std::string& text) {
  const Option option("--grid", text);
  auto sides = split_outside(text, ',');
  if (sides.size() > 3) option.fail("write one to three sizes: M or N,M,1");
  for (auto& side : sides) side = option.expression(side);
  sides.resize(3, "1");
  told.grid = sides;
}

void tell_threadgroup_memory(Told& told, const std::string& text) {
  const Option option("--threadgroup-memory", text);
  const auto [index, bytes] = option.name_and_value("INDEX=BYTES, such as 0=4*N");
  const auto at = static_cast<unsigned>(option.number(index, 0, 30));
  if (!told.threadgroup_memory.emplace(at, option.expression(bytes)).second)
    option.fail(fmt::format("[[threadgroup({})]] is given twice", at));
}

void tell_resident_threadgroups(Told& told, const std::string& text) {
  const Option option("--resident-threadgroups", text);
  told.resident_threadgroups = static_cast<std::uint32_t>(option.number(text, 2, kMostResidentThreadgroups));
}

void tell_define(Told& told, const std::string& text) {
  const Option option("--define", text);
  const auto equals = text.find('=');
  const std::string name = option.identifier(text.substr(0, equals));
  if (!told.source.defines.emplace(name, equals == std::string::npos ? "1" : text.substr(equals + 1)).second)
    option.fail(fmt::format("`{}` is given twice", name));
}

void tell_metal_version(Told& told, const std::string& text) {
  const Option option("--metal-version", text);
  const auto version = device::metal_version_from(text);
  if (!version) option.fail("is no version of Metal; write one such as 3.1");
  told.source.defines[device::kMetalVersionMacro] = std::to_string(*version);
}

void tell_constant(Told& told, const std::string& text) {
  const Option option("--constant", text);
  const auto [index, value] = option.name_and_value("INDEX=VALUE, such as 0=true");
  const auto at = static_cast<std::uint32_t>(option.number(index, 0, 65535));
  if (!told.source.function_constants.emplace(at, value).second)
    option.fail(fmt::format("[[function_constant({})]] is given twice", at));
}

}  // namespace assay::draft
