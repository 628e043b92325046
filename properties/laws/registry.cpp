#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
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

struct Kind {
  int rank;
  LawsOf laws_of;
};

// Made by the first that registers, whichever file the linker puts first.
std::vector<Kind>& kinds() {
  static std::vector<Kind> all;
  return all;
}

}  // namespace

RegisterLaws::RegisterLaws(int rank, LawsOf laws_of) { kinds().push_back({rank, std::move(laws_of)}); }

std::vector<Law> laws_of(const Operation& operation) {
  std::multimap<std::pair<int, std::string>, std::vector<Law>> ranked;
  for (const auto& kind : kinds()) {
    auto some = kind.laws_of(operation.declaration());
    if (!some.empty()) ranked.emplace(std::pair(kind.rank, some.front().name), std::move(some));
  }
  std::vector<Law> laws;
  for (auto& [rank, some] : ranked) {
    laws.insert(laws.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
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
