// The table of operations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "properties/operation.hpp"

namespace assay::properties {

#define ASSAY_OPERATION(name) std::unique_ptr<Operation> make_##name();
#include "properties/operations.inc"
#undef ASSAY_OPERATION

namespace {

const std::vector<std::unique_ptr<Operation>>& operations() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Operation>> made;
#define ASSAY_OPERATION(name) made.push_back(make_##name());
#include "properties/operations.inc"
#undef ASSAY_OPERATION
    return made;
  }();
  return all;
}

}  // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& one : operations()) names.push_back(one->name());
  return names;
}

const Operation& find_operation(std::string_view name) {
  for (const auto& one : operations()) {
    if (one->name() == name) return *one;
  }
  throw std::invalid_argument(
      fmt::format("operation \"{}\": unknown; there are {}", name, fmt::join(operation_names(), ", ")));
}

}  // namespace assay::properties
