// The operations of a program: whatever was linked into it and registered itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "properties/cases/operation.hpp"

namespace assay::properties {
namespace {

struct Registered {
  std::function<std::unique_ptr<Operation>()> make;
  std::unique_ptr<Operation> made = {};
};

// Made by the first that registers, whichever file the linker puts first.
std::map<std::string, Registered, std::less<>>& operations() {
  static std::map<std::string, Registered, std::less<>> all;
  return all;
}

}  // namespace

RegisterOperation::RegisterOperation(std::string name, std::function<std::unique_ptr<Operation>()> make) {
  if (operations().try_emplace(name, Registered{std::move(make)}).second) return;
  // Before main() there is nobody to catch anything.
  fmt::print(stderr, "assay: two operations are named \"{}\"; give one of them another name\n", name);
  std::exit(2);
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& [name, one] : operations()) names.push_back(name);
  return names;
}

const Operation& find_operation(std::string_view name) {
  const auto found = operations().find(name);
  if (found == operations().end()) {
    throw std::invalid_argument(
        fmt::format("operation \"{}\": unknown; there are {}", name, fmt::join(operation_names(), ", ")));
  }
  auto& [make, made] = found->second;
  if (!made) {
    auto operation = make();
    if (operation->name() != name) {
      throw std::logic_error(fmt::format(
          "the operation that is registered as \"{}\" declares the name \"{}\"", name, operation->name()));
    }
    made = std::move(operation);
  }
  return *made;
}

}  // namespace assay::properties
