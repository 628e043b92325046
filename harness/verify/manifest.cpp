#include "harness/verify/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/verify/entry_place.hpp"
#include "harness/verify/shown.hpp"
#include "harness/verify/value_requirements.hpp"

namespace assay {
namespace {

struct ScalarTypeRow {
  ScalarType type;
  std::string_view name;
  std::size_t size;
};

constexpr ScalarTypeRow kScalarTypes[] = {
    {ScalarType::uchar, "uchar", 1},  {ScalarType::char_, "char", 1}, {ScalarType::ushort, "ushort", 2},
    {ScalarType::short_, "short", 2}, {ScalarType::uint, "uint", 4},  {ScalarType::int_, "int", 4},
    {ScalarType::ulong, "ulong", 8},  {ScalarType::long_, "long", 8}, {ScalarType::float_, "float", 4},
};

const ScalarTypeRow& row_of(ScalarType type) {
  return *std::find_if(std::begin(kScalarTypes), std::end(kScalarTypes),
                       [&](const ScalarTypeRow& row) { return row.type == type; });
}

// What foreign parts of a message may fill of its one line.
constexpr std::size_t kLongestField = 160, kLongestReason = 1200, kLongestSourcePath = 4096;

std::string place(const std::filesystem::path& file, std::uint32_t line) {
  const std::string name = shown(file.string(), kLongestSourcePath);
  return line == 0 ? name : fmt::format("{}:{}", name, line);
}

}  // namespace

ManifestError::ManifestError(const std::filesystem::path& file, std::uint32_t line, std::string_view field,
                             std::string_view what)
    : std::runtime_error(fmt::format("{}: {}: {}", place(file, line), shown(field, kLongestField),
                                     shown(what, kLongestReason))) {}

std::size_t size_of(ScalarType type) { return row_of(type).size; }

std::string_view name_of(ScalarType type) { return row_of(type).name; }

bool Arithmetic::means(std::string_view field, std::string_view word) const {
  const auto said = semantics.find(field);
  return said != semantics.end() && said->second == word;
}

bool Requirement::allows(std::int64_t value) const {
  if (min && value < *min) return false;
  if (max && value > *max) return false;
  if (value % multiple != 0) return false;
  return one_of.empty() || std::find(one_of.begin(), one_of.end(), value) != one_of.end();
}

std::string Requirement::describe() const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " and ") + part; };
  if (min) add(fmt::format("at least {}", *min));
  if (max) add(fmt::format("at most {}", *max));
  if (multiple != 1) add(fmt::format("a multiple of {}", multiple));
  if (!one_of.empty()) add(fmt::format("one of {}", fmt::join(one_of, ", ")));
  return text.empty() ? "anything" : text;
}

device::KernelSource KernelEntry::kernel_source() const {
  device::KernelSource whole{source, function, defines, include_dirs, function_constants, text_prefix};
  if (mlx && !composed)
    throw std::logic_error(name + ": its source is a body, and nobody has made its signature");
  if (composed) whole.composed = *composed;
  whole.saturating_conversions = accepts_saturating_conversions;
  return whole;
}

std::string KernelEntry::argument_field(std::size_t index) const {
  return index < argument_fields.size() ? argument_fields[index] : fmt::format("arguments[{}]", index);
}

device::SourcePlace place_of(const KernelEntry& entry, const std::string& field) {
  auto line = entry.lines.find(field);
  if (line == entry.lines.end()) line = entry.lines.find(field.substr(0, field.find_first_of("[.")));
  if (line == entry.lines.end()) line = entry.lines.find("");
  return {entry.manifest.string(), line == entry.lines.end() ? 0 : line->second};
}

ManifestError KernelEntry::error(const std::string& field, std::string_view what) const {
  return ManifestError(manifest, place_of(*this, field).line, field, fmt::format("kernel {}: {}", name, what));
}

Dims KernelEntry::with_tile(const Dims& dims) const {
  Dims all = dims;
  if (tile) {
    all["tile_m"] = tile->m;
    all["tile_n"] = tile->n;
    all["tile_k"] = tile->k;
  }
  return all;
}

std::optional<std::string> KernelEntry::unmet_requirement(const Dims& dims) const {
  for (const auto& [dimension, requirement] : requirements) {
    if (is_value_requirement(dimension)) continue;
    const auto value = dims.find(dimension);
    if (value == dims.end()) {
      std::string known;
      for (const auto& [dim, unused] : dims) known += (known.empty() ? "" : ", ") + dim;
      throw error("requires",
                  fmt::format("operation {} has no dimension {}; it has {}", operation, dimension, known));
    }
    if (!requirement.allows(value->second)) {
      return fmt::format("{} is {}; the kernel requires it to be {}", dimension, value->second,
                         requirement.describe());
    }
  }
  return std::nullopt;
}

}  // namespace assay
