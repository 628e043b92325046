// A kernel described in code becomes the table that a manifest would hold, and is read as one: the same
// fields, the same checks.
#include <toml++/toml.h>

#include <cmath>
#include <memory>
#include <utility>

#include "assay/kernel.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/verify/manifest_entry.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "properties/cases/trial.hpp"

namespace assay {
namespace {

toml::array array_of(const std::vector<std::string>& texts) {
  toml::array all;
  for (const auto& text : texts) all.push_back(text);
  return all;
}

template <class Map>
void insert_table(toml::table& table, const char* field, const Map& values) {
  if (values.empty()) return;
  toml::table inner;
  for (const auto& [name, value] : values) inner.insert(name, value);
  table.insert(field, std::move(inner));
}

}  // namespace

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

/// The fields `dimensions` and `tensors`.
void insert_buffers(const KernelDescription& described, toml::table& table) {
  toml::array dimensions, tensors;
  for (const auto& one : described.dimensions) dimensions.push_back(table_of(one));
  for (const auto& one : described.tensors) tensors.push_back(table_of(one));
  table.insert("dimensions", std::move(dimensions));
  table.insert("tensors", std::move(tensors));
}

/// What its reference says is right.
std::shared_ptr<const StatedOperation> stated_by(const KernelDescription& described, const char* file) {
  auto reference = described.reference;
  if (!described.reference_text.empty())
    reference = metal::keep_text(metal::toolchain().cache, described.reference_text, "reference.cpp");
  toml::table table{{"name", described.name}, {"reference", reference.string()}};
  if (!described.math.empty()) table.insert("math", described.math);
  insert_buffers(described, table);
  return std::make_shared<const StatedOperation>(read_operation(table, file));
}

}  // namespace

KernelEntry describe_kernel(const KernelDescription& described, SourceLine where) {
  toml::table table;
  table.insert("name", described.name);
  table.insert("source", described.source.string());
  if (!described.function.empty()) table.insert("function", described.function);
  const bool stated = !described.tensors.empty() || !described.dimensions.empty();
  const bool judged = !described.reference.empty() || !described.reference_text.empty();
  if (!stated || judged) table.insert("operation", stated ? described.name : described.operation);
  if (stated && !judged) insert_buffers(described, table);
  table.insert("arguments", array_of(described.arguments));
  toml::array threads;
  for (const std::uint32_t side : described.threads_per_threadgroup) threads.push_back(std::int64_t{side});
  table.insert("threads_per_threadgroup", std::move(threads));
  if (described.grid.size() == 1) {
    table.insert("grid", described.grid.front());
  } else {
    table.insert("grid", array_of(described.grid));
  }
  if (!described.threadgroup_memory.empty()) {
    table.insert("threadgroup_memory", array_of(described.threadgroup_memory));
  }
  insert_table(table, "tile", described.tile);
  insert_table(table, "arithmetic", described.arithmetic);
  insert_table(table, "semantics", described.semantics);
  insert_table(table, "requires", described.requires_dims);
  insert_table(table, "defines", described.defines);
  if (!described.grid_unit.empty()) table.insert("grid_unit", described.grid_unit);
  KernelEntry entry = read_entry(table, where.file);
  if (stated && judged) entry.stated = stated_by(described, where.file);
  for (auto& [field, line] : entry.lines) line = where.line;
  properties::check_entry(entry);
  return properties::settled(std::move(entry));
}

}  // namespace assay
