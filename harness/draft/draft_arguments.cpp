// What is bound to each buffer index: a buffer of elements, or scalars that are sizes or constants.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

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
  for (const Scalar& scalar : one.element.scalars) {
    const bool component =
        scalar.name.size() == 1 && one.element.scalars.size() <= 4 && one.element.type != "uchar";
    std::string name = scalar.name.empty() ? one.name
                       : component         ? one.name + "_" + scalar.name
                                           : scalar.name;
    if (name != one.name && known_names_.contains(name)) name.insert(0, one.name + "_");
    fields.push_back(this->scalar(name, scalar.type, scalar.whole, argument.values.emplace_back()));
  }
  return one.element.scalars.size() == 1 ? fields.front() : fmt::format("[{}]", fmt::join(fields, ", "));
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
  } else if (whole && type != "uchar" && type != "char" &&
             draft_.dimensions.size() < (compiled_.textures.empty() ? kMostOfScalars : kMostBesideTextures)) {
    value = name;  // bytes are too narrow for sizes
    add_dimension(name);
  } else {
    const std::string small = lower(name);
    value = whole ? "1" : small.starts_with("eps") ? "1e-5" : "1.0";
    guess(fmt::format("{} is {}; change it with --scalar {}=VALUE", name, value, name));
  }
  measured = {type, Expression(value)};
  if (!Expression(value).is_name()) return fmt::format("\"={}:{}\"", value, type);
  return type == "uint" ? fmt::format("\"{}\"", value) : fmt::format("\"{}:{}\"", value, type);
}

}  // namespace assay::draft
