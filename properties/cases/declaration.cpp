#include "properties/cases/declaration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "harness/verify/value_requirements.hpp"

namespace assay::properties {
namespace {

std::vector<std::string> names_of(const std::vector<Dimension>& dimensions) {
  std::vector<std::string> names;
  names.reserve(dimensions.size());
  for (const Dimension& one : dimensions) names.push_back(one.name);
  return names;
}

}  // namespace

std::int64_t dim(const Dims& dims, std::string_view name) {
  const auto found = dims.find(name);
  if (found == dims.end()) throw std::invalid_argument(fmt::format("{}: missing; add {}=NUMBER", name, name));
  return found->second;
}

std::size_t extent(const Dims& dims, std::string_view name) {
  return static_cast<std::size_t>(dim(dims, name));
}

std::function<std::vector<std::size_t>(const Dims&)> shape_of(std::vector<std::string> dimensions) {
  return [names = std::move(dimensions)](const Dims& dims) {
    std::vector<std::size_t> shape;
    for (const std::string& name : names) shape.push_back(extent(dims, name));
    return shape;
  };
}

bool OperationDeclaration::has_plain_tensors() const {
  return std::none_of(dimensions.begin(), dimensions.end(),
                      [](const Dimension& one) { return one.hidden; }) &&
         std::none_of(tensors.begin(), tensors.end(),
                      [](const TensorSpec& spec) { return spec.role == Role::in_out; });
}

void check_dims(const OperationDeclaration& declaration, const Dims& dims) {
  for (const auto& [name, value] : dims) {
    if (find_named(declaration.dimensions, name) == nullptr) {
      throw std::invalid_argument(fmt::format("{}={}: {} has no such dimension; it has {}", name, value,
                                              declaration.name,
                                              fmt::join(names_of(declaration.dimensions), ", ")));
    }
  }
  for (const Dimension& one : declaration.dimensions) {
    const std::int64_t value = dim(dims, one.name);
    if (one.least > 1 && value < one.least) {
      throw std::invalid_argument(fmt::format("{}={}: must be at least {}", one.name, value, one.least));
    }
    if (value < 1 || value % one.multiple != 0) {
      throw std::invalid_argument(
          one.multiple == 1
              ? fmt::format("{}={}: must be at least 1", one.name, value)
              : fmt::format("{}={}: must be a positive multiple of {}", one.name, value, one.multiple));
    }
    if (one.closed && std::find(one.choices.begin(), one.choices.end(), value) == one.choices.end()) {
      throw std::invalid_argument(
          fmt::format("{}={}: must be one of {}", one.name, value, fmt::join(one.choices, ", ")));
    }
    if (one.at_most && value > one.at_most(dims)) {
      throw std::invalid_argument(
          fmt::format("{}={}: must be at most {} here", one.name, value, one.at_most(dims)));
    }
  }
}

namespace {

void check_value_requirement(const OperationDeclaration& declaration, const std::string& name,
                             const Requirement& requirement) {
  const bool has = std::any_of(declaration.planned.begin(), declaration.planned.end(),
                               [&](const PlannedRegime& one) { return one.regime.name == name; });
  if (!has && name != kSubnormals) {
    throw std::invalid_argument(
        fmt::format("requires: {} means nothing to {}; leave it out", name, declaration.name));
  }
  if (requirement.one_of != std::vector<std::int64_t>{1} ||
      requirement.describe() != Requirement{.min = {}, .max = {}, .one_of = {1}}.describe())
    throw std::invalid_argument(fmt::format("requires: {} is asked for as {} = 1", name, name));
}

}  // namespace

void check_requirements(const OperationDeclaration& declaration, const KernelTraits& traits) {
  for (const auto& [name, requirement] : traits.requirements) {
    const Dimension* one = find_named(declaration.dimensions, name);
    if (one == nullptr && is_value_requirement(name)) {
      check_value_requirement(declaration, name, requirement);
      continue;
    }
    if (one == nullptr) {
      throw std::invalid_argument(fmt::format("requires: {} is no dimension of {}; it has {}", name,
                                              declaration.name,
                                              fmt::join(names_of(declaration.dimensions), ", ")));
    }
    // A list of values is the kernel's word for each of them.
    Requirement others = requirement;
    others.one_of.clear();
    for (const std::int64_t value : requirement.one_of) {
      const auto refuse = [&, &name = name](const std::string& why) {
        throw std::invalid_argument(fmt::format("requires: {} cannot be {}: {}", name, value, why));
      };
      if (value % one->multiple != 0) refuse(fmt::format("it is a multiple of {}", one->multiple));
      if (one->closed && std::find(one->choices.begin(), one->choices.end(), value) == one->choices.end())
        refuse(fmt::format("it is one of {}", fmt::join(one->choices, ", ")));
      if (!others.allows(value)) refuse(fmt::format("the kernel requires it to be {}", others.describe()));
    }
  }
}

}  // namespace assay::properties
