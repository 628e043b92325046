#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <stdexcept>

#include "properties/laws/law.hpp"

namespace assay::properties::laws {

bool Subject::takes(const verify::Problem& changed) const {
  try {
    verify::Dims drawn = changed.dims;
    for (const Count& one : operation.declaration().counts) drawn.erase(one.name);
    check_dims(operation.declaration(), drawn);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return !entry.unmet_requirement(changed.dims);
}

std::vector<Law> laws_of(const Operation& operation) {
  std::vector<Law> laws;
  for (const auto& kind :
       {scale_laws, permute_laws, split_laws, zero_laws, duplicate_laws, special_value_laws}) {
    auto more = kind(operation.declaration());
    laws.insert(laws.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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
