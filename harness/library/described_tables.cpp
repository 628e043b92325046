#include "harness/library/described_tables.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace assay::library {

std::filesystem::path place_of(const SourceLine& where) {
  return fmt::format("{}:{}", where.file, where.line);
}

toml::array array_of(const std::vector<std::string>& texts) {
  toml::array all;
  for (const auto& text : texts) all.push_back(text);
  return all;
}

namespace {

toml::table table_of(const DimensionDescription& one) {
  toml::table table{{"name", one.name}};
  const auto number = [&](const char* field, std::int64_t value) {
    if (value != 0) table.insert(field, value);
  };
  number("least", one.least);
  number("multiple", one.multiple);
  number("largest", one.largest);
  const auto numbers = [&](const char* field, const std::vector<std::int64_t>& values) {
    toml::array all;
    for (const std::int64_t value : values) all.push_back(value);
    if (!all.empty()) table.insert(field, std::move(all));
  };
  numbers("values", one.values);
  numbers("edges", one.edges);
  if (!one.tile.empty()) table.insert("tile", one.tile);
  if (one.reduced) table.insert("reduced", true);
  if (one.independent) table.insert("independent", true);
  return table;
}

void insert_values(const ValuesDescription& values, toml::table& table) {
  if (!values.word.empty()) table.insert("values", values.word);
  // Whole numbers as TOML has them: inputs of integers take no others.
  const auto number = [](double value, const auto& take) {
    if (value == std::floor(value) && std::fabs(value) < 0x1p53)
      return take(static_cast<std::int64_t>(value));
    return take(value);
  };
  if (values.number) number(*values.number, [&](auto value) { table.insert("values", value); });
  if (!values.below.empty()) table.insert("values", toml::table{{"below", values.below}});
  if (values.from_to) {
    toml::table ends;
    number(values.from_to->front(), [&](auto value) { ends.insert("from", value); });
    number(values.from_to->back(), [&](auto value) { ends.insert("to", value); });
    table.insert("values", std::move(ends));
  }
  toml::array all;
  for (const double one : values.one_of) number(one, [&](auto value) { all.push_back(value); });
  if (!all.empty()) table.insert("values", toml::table{{"one_of", std::move(all)}});
}

toml::table table_of(const TensorDescription& one) {
  toml::table table{{"name", one.name}, {"type", one.type}, {"access", one.access}};
  table.insert("shape", array_of(one.shape));
  insert_values(one.values, table);
  if (!one.never.empty()) table.insert("never", array_of(one.never));
  return table;
}

}  // namespace

void insert_buffers(const std::vector<DimensionDescription>& dimensions,
                    const std::vector<TensorDescription>& tensors, toml::table& table) {
  toml::array described_dimensions, described_tensors;
  for (const auto& one : dimensions) described_dimensions.push_back(table_of(one));
  for (const auto& one : tensors) described_tensors.push_back(table_of(one));
  table.insert("dimensions", std::move(described_dimensions));
  table.insert("tensors", std::move(described_tensors));
}

}  // namespace assay::library
