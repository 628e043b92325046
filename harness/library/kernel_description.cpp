// A kernel described in code becomes the table that a manifest would hold, and is read as one: the same
// fields, the same checks.
#include <toml++/toml.h>

#include "assay/kernel.hpp"
#include "harness/verify/manifest_entry.hpp"
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

KernelEntry describe_kernel(const KernelDescription& described, SourceLine where) {
  toml::table table;
  table.insert("name", described.name);
  table.insert("source", described.source.string());
  if (!described.function.empty()) table.insert("function", described.function);
  table.insert("operation", described.operation);
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
  KernelEntry entry = read_entry(table, where.file);
  for (auto& [field, line] : entry.lines) line = where.line;
  properties::check_entry(entry);
  return properties::settled(std::move(entry));
}

}  // namespace assay
