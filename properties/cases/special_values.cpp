#include "properties/cases/special_values.hpp"

#include <algorithm>

#include "properties/cases/draw.hpp"

namespace assay::properties {

std::int64_t knob_of(const Case& test_case, std::string_view name) {
  const auto found = test_case.knobs.find(name);
  return found == test_case.knobs.end() ? 0 : found->second;
}

void scatter_specials(const Case& test_case, std::string_view stream, std::size_t poisonous, bool may_poison,
                      std::span<std::uint16_t> values) {
  const Draw draw(test_case.seed, stream);
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(knob_of(test_case, "count"), 0, 7)) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Words words = draw.words(i);
    const std::size_t from = may_poison ? 0 : poisonous;
    const std::size_t to = may_poison && i == 0 ? poisonous : kSpecialValues.size();
    const std::size_t which = from + below(static_cast<std::uint32_t>(to - from), words[0]);
    values[below(static_cast<std::uint32_t>(values.size()), words[1])] = kSpecialValues[which];
  }
}

}  // namespace assay::properties
