#include "properties/cases/traits.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <variant>

#include "reference/bound.hpp"

namespace assay::properties {

namespace {

/// What an argument names, and what the pointers in it lead to.
void add_names(const ArgumentEntry& argument, std::set<std::string>& names) {
  if (const auto* named = std::get_if<NamedArgument>(&argument)) names.insert(named->name);
  if (const auto* scalars = std::get_if<ScalarArgument>(&argument)) {
    for (const ScalarField& field : scalars->fields) names.insert(field.value.text());
  }
  if (const auto* packed = std::get_if<PackedArgument>(&argument)) {
    for (const PackedField& field : packed->fields) {
      names.insert(field.value.value.text());
      for (const PackedField& one : field.record) names.insert(one.value.value.text());
      if (field.pointee != nullptr) add_names(field.pointee->argument, names);
    }
  }
}

}  // namespace

KernelTraits traits_of(const KernelEntry& kernel) {
  std::set<std::string> arguments;
  for (const auto& argument : kernel.arguments) add_names(argument, arguments);
  for (const auto& texture : kernel.textures) {
    if (texture) arguments.insert(texture->tensor);
  }
  const auto& sides = kernel.threads_per_threadgroup;
  return {kernel.tile.value_or(Tile{}), kernel.requirements, kernel.arithmetic, std::move(arguments),
          std::int64_t{sides.x} * sides.y * sides.z};
}

double unit_roundoff(Precision precision) {
  return precision == Precision::half_precision ? reference::kHalfUnitRoundoff
                                                : reference::kFloatUnitRoundoff;
}

std::string_view name_of(Precision precision) {
  return precision == Precision::half_precision ? "half" : "float";
}

Precision precision_from_name(std::string_view name) {
  for (const Precision one : {Precision::half_precision, Precision::float_precision}) {
    if (name == name_of(one)) return one;
  }
  throw std::invalid_argument(fmt::format("precision \"{}\": must be half or float", name));
}

}  // namespace assay::properties
