#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "properties/laws/law.hpp"

namespace assay::properties::laws {

bool Subject::takes(const Problem& changed) const {
  try {
    Dims drawn = changed.dims;
    for (const Count& one : operation.declaration().counts) drawn.erase(one.name);
    check_dims(operation.declaration(), drawn);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return !entry.unmet_requirement(changed.dims);
}

namespace {

using LawsOf = std::function<std::vector<Law>(const OperationDeclaration&)>;

// Made by the first that registers, whichever file the linker puts first.
std::vector<LawsOf>& kinds() {
  static std::vector<LawsOf> all;
  return all;
}

}  // namespace

RegisterLaws::RegisterLaws(LawsOf laws_of) { kinds().push_back(std::move(laws_of)); }

std::vector<Law> laws_of(const Operation& operation) {
  std::vector<Law> laws;
  for (const auto& kind : kinds()) {
    auto more = kind(operation.declaration());
    laws.insert(laws.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  std::sort(laws.begin(), laws.end(), [](const Law& a, const Law& b) { return a.name < b.name; });
  return laws;
}

Law find_law(const Operation& operation, std::string_view name) {
  std::vector<std::string> names;
  for (Law& law : laws_of(operation)) {
    if (law.name == name) return law;
    names.push_back(law.name);
  }
  throw std::invalid_argument(
      fmt::format("law={}: {} has {}", name, operation.name(), fmt::join(names, ", ")));
}

}  // namespace assay::properties::laws
