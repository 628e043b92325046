// A kernel described in code becomes the table that a manifest would hold, and is read as one: the same
// fields, the same checks.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "assay/kernel.hpp"
#include "harness/device/text_folders.hpp"
#include "harness/library/described_tables.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/verify/manifest_entry.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "properties/cases/trial.hpp"

namespace assay {
namespace {

template <class Map>
void insert_table(toml::table& table, const char* field, const Map& values) {
  if (values.empty()) return;
  toml::table inner;
  for (const auto& [name, value] : values) inner.insert(name, value);
  table.insert(field, std::move(inner));
}

/// The text with the place where it stands in that file; by itself where it does not stand there as it is.
std::string with_place(const std::string& text, const std::string& file) {
  const std::string around = metal::content_of(file);
  const std::size_t at = around.find(text);
  if (at == std::string::npos || file.find_first_of("\"\\\n") != std::string::npos) return text;
  const auto before = std::count(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return fmt::format("#line {} \"{}\"\n{}", before + 1, file, text);
}

/// What its reference says is right.
std::shared_ptr<const StatedOperation> stated_by(const KernelDescription& described,
                                                 const SourceLine& where) {
  auto reference = described.reference;
  const bool text = !described.reference_text.empty();
  if (text) {
    device::allow_texts(device::project_around(where.file));
    const auto name = std::filesystem::path(where.file).stem().string() + ".reference.cpp";
    reference =
        metal::keep_text(metal::toolchain().cache, with_place(described.reference_text, where.file), name);
  }
  toml::table table{{"name", described.name}, {"reference", reference.string()}};
  if (!described.math.empty()) table.insert("math", described.math);
  library::insert_buffers(described.dimensions, described.tensors, table);
  auto stated = read_operation(table, library::place_of(where));
  stated.manifest = where.file;
  if (text) stated.reference_name = library::place_of(where).string();
  return std::make_shared<const StatedOperation>(std::move(stated));
}

}  // namespace

Kernel describe_kernel(const KernelDescription& described, SourceLine where) {
  toml::table table;
  table.insert("name", described.name);
  table.insert("source", described.source.string());
  if (!described.function.empty()) table.insert("function", described.function);
  const bool stated = !described.tensors.empty() || !described.dimensions.empty();
  const bool judged = !described.reference.empty() || !described.reference_text.empty();
  if (!stated || judged) table.insert("operation", stated ? described.name : described.operation);
  if (stated && !judged) library::insert_buffers(described.dimensions, described.tensors, table);
  table.insert("arguments", library::array_of(described.arguments));
  toml::array threads;
  for (const std::uint32_t side : described.threads_per_threadgroup) threads.push_back(std::int64_t{side});
  table.insert("threads_per_threadgroup", std::move(threads));
  if (described.grid.size() == 1) {
    table.insert("grid", described.grid.front());
  } else {
    table.insert("grid", library::array_of(described.grid));
  }
  if (!described.threadgroup_memory.empty()) {
    table.insert("threadgroup_memory", library::array_of(described.threadgroup_memory));
  }
  insert_table(table, "tile", described.tile);
  insert_table(table, "arithmetic", described.arithmetic);
  insert_table(table, "semantics", described.semantics);
  insert_table(table, "requires", described.requires_dims);
  insert_table(table, "defines", described.defines);
  if (!described.grid_unit.empty()) table.insert("grid_unit", described.grid_unit);
  KernelEntry entry = read_entry(table, library::place_of(where));
  entry.manifest = where.file;
  if (stated && judged) entry.stated = stated_by(described, where);
  for (auto& [field, line] : entry.lines) line = where.line;
  properties::check_entry(entry);
  return Kernel(properties::settled(std::move(entry)));
}

}  // namespace assay
