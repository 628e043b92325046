// What is bound to each buffer index: a buffer of elements, or scalars that are sizes or constants.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/draft/probe.hpp"
#include "harness/draft/refuse.hpp"
#include "harness/verify/shown.hpp"

namespace assay::draft {
namespace {

using Kind = Parameter::Kind;

/// Whole numbers that are taken for sizes; the others are for what the grid, the textures and the buffers
/// need.
constexpr std::size_t kMostOfScalars = kMaxDimensions - 4, kMostBesideTextures = kMostOfScalars - 4;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

void Drafting::arguments() {
  for (const Parameter& one : draft_.kernel.parameters) {
    if (one.kind != Kind::scalars && one.kind != Kind::buffer) continue;
    if (one.element.pointers && !compiled_.shapes.contains(one.name))
      refuse(told_.source, one,
             fmt::format("`{}` is a struct with pointers whose members are not plain data with names; write "
                         "a manifest that says what they lead to",
                         one.name));
    if (!one.named) refuse(told_.source, one, "this parameter has no name; give it one");
    known_names_.insert(one.name);
  }
  draft_.arguments.assign(compiled_.indices, "\"-\"");
  request_.arguments.resize(compiled_.indices);
  request_.indices = compiled_.indices;
  parameters_.assign(compiled_.indices, nullptr);
  for (const Parameter& one : draft_.kernel.parameters) {
    const auto index = compiled_.buffers.find(one.name);
    if (index == compiled_.buffers.end() || index->second >= compiled_.indices) continue;
    parameters_[index->second] = &one;
    if (const auto shape = compiled_.shapes.find(one.name); shape != compiled_.shapes.end()) {
      line_ = one.line;
      const auto& object = shape->second.parts.front();
      draft_.arguments[index->second] =
          block(members_behind(shape->second, one.name), object.size, index->second, true);
      if (!shape->second.single)
        guess(fmt::format("{} leads to one {}; write a manifest where there are more", one.name,
                          object.is_pointer() ? "pointer" : "struct"));
      continue;
    }
    const auto asked = told_.buffers.find(one.name);
    if (one.kind == Kind::scalars && asked == told_.buffers.end()) {
      draft_.arguments[index->second] = scalars(one, request_.arguments[index->second]);
    } else {
      draft_.arguments[index->second] = fmt::format("\"{}\"", one.name);
      buffer(one, request_.arguments[index->second]);
    }
  }
}

void Drafting::buffer(const Parameter& one, MeasuredArgument& argument) {
  const ToldBuffer told = told_of(told_.buffers, one.name);
  argument = {true,         true,
              one.writable, told.type.value_or(one.element.type.empty() ? "uchar" : one.element.type),
              {},           one.name};
  argument.wide = one.element.wide && !told.type;
  if (told.access) argument.writable = *told.access != "in";
  if (one.element.type.empty() && !told.type)
    guess(
        fmt::format("{} has an unknown type, `{}`, and is taken as bytes; say its type with --buffer {}=TYPE",
                    one.name, shown(one.written), one.name));
  const bool record = one.element.type == "uchar" && one.element.inner.size() == 1 && one.element.size > 4;
  if (record && !told.type) argument.unit = one.element.size;
}

std::string Drafting::scalars(const Parameter& one, MeasuredArgument& argument) {
  argument.bound = true;
  std::vector<std::string> fields;
  std::size_t end = 0;
  // Bytes that lie between members, since a struct or a vector among them begins where its type asks for.
  const auto fill = [&](std::size_t to) {
    while (end < to) {
      const std::size_t step = end % 4 == 0 && to - end >= 4 ? 4 : 1;
      const std::string type = step == 4 ? "uint" : "uchar";
      fields.push_back(fmt::format("\"=0:{}\"", type));
      argument.values.push_back({type, Expression("0")});
      end += step;
    }
  };
  for (const Scalar& scalar : one.element.scalars) {
    const std::size_t size = bytes_of_type(scalar.type);
    if (scalar.offset > (end + size - 1) / size * size) fill(scalar.offset);
    end = scalar.offset + size;
    if (!scalar.fixed.empty()) {
      guess(fmt::format("{} is 1; write a manifest for another value", scalar.name));
      fields.push_back(fmt::format("\"={}:{}\"", scalar.fixed, scalar.type));
      argument.values.push_back({scalar.type, Expression(scalar.fixed)});
      continue;
    }
    const bool component =
        scalar.name.size() == 1 && one.element.scalars.size() <= 4 && one.element.type != "uchar";
    std::string name = scalar.name.empty() ? one.name
                       : component         ? one.name + "_" + scalar.name
                                           : scalar.name;
    if (name != one.name && known_names_.contains(name)) name.insert(0, one.name + "_");
    fields.push_back(this->scalar(name, scalar.type, scalar.whole, argument.values.emplace_back()));
  }
  if (one.element.type == "uchar" && fields.size() > 1) fill(one.element.size);
  return fields.size() == 1 ? fields.front() : fmt::format("[{}]", fmt::join(fields, ", "));
}

std::uint32_t Drafting::threads_stepped_over(const std::string& scalar) const {
  const auto& all = draft_.kernel.strides;
  const bool is_stride = std::any_of(all.begin(), all.end(), [&](const StrideClue& one) {
    return one.of == StrideClue::Of::threads && one.scalar == scalar;
  });
  return is_stride ? draft_.threads.x * draft_.threads.y * draft_.threads.z : 0;
}

std::string Drafting::scalar(const std::string& name, const std::string& type, bool whole,
                             MeasuredArgument::Value& measured) {
  known_names_.insert(name);
  const auto asked = told_.scalars.find(name);
  std::string value;
  if (asked != told_.scalars.end()) {
    used_scalars_.insert(name);
    value = asked->second;
    for (const auto& needed : names_in(value)) add_dimension(needed);
  } else if (const auto threads = threads_stepped_over(name); whole && threads != 0) {
    value = std::to_string(threads);
    guess(
        fmt::format("{0} is {1}, as many as a threadgroup has threads, because they step over it; change it "
                    "with --scalar {0}=VALUE",
                    name, value));
  } else if (whole && type != "uchar" && type != "char" &&
             draft_.dimensions.size() < (compiled_.textures.empty() ? kMostOfScalars : kMostBesideTextures)) {
    value = name;  // bytes are too narrow for sizes
    add_dimension(name);
    if (bytes_of_type(type) == 2) {
      auto& limit = find_dimension(name)->limit;
      const std::int64_t most = type == "ushort" ? 65535 : 32767;
      limit = limit == 0 ? most : std::min(limit, most);
    }
  } else {
    const std::string small = lower(name);
    value = whole ? "1" : small.starts_with("eps") ? "1e-5" : "1.0";
    constant_scalars_.push_back(name);
    guess(fmt::format("{} is {}; change it with --scalar {}=VALUE", name, value, name));
  }
  measured = {type, Expression(value)};
  if (!Expression(value).is_name()) return fmt::format("\"={}:{}\"", value, type);
  return type == "uint" ? fmt::format("\"{}\"", value) : fmt::format("\"{}:{}\"", value, type);
}

}  // namespace assay::draft
