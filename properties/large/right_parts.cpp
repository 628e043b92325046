#include "properties/large/right_parts.hpp"

#include <algorithm>

#include "properties/cases/flushing.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {
namespace {

std::vector<RightStretch> stretches_of(const Expectation& expected, std::size_t element) {
  const auto [begin, end] =
      std::equal_range(expected.apart.begin(), expected.apart.end(), RightStretch{element, 0, 0, 0},
                       [](const RightStretch& a, const RightStretch& b) { return a.element < b.element; });
  return {begin, end};
}

}  // namespace

bool RightParts::add(const Part& part) {
  if (!numbers_.try_emplace(part, numbers_.size()).second) return false;
  const std::size_t number = numbers_.at(part);
  const CutProblem cut = cut_out(operation_, problem_, part);
  for (const Expectation& expected : right_answers(operation_, cut.problem, arithmetic_)) {
    RightOutput& output = outputs_[expected.tensor];
    output.bound = expected.bound;
    output.signed_zero = expected.signed_zero;
    const auto places = places_in(operation_, problem_, cut, part, expected.tensor);
    const auto known = static_cast<std::ptrdiff_t>(output.elements.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      Right& one = output.elements.emplace_back(
          Right{*places[i], number, expected.value[i], expected.low[i], expected.high[i]});
      if (!expected.apart.empty()) one.apart = stretches_of(expected, i);
      note(expected.tensor, {*places[i], *places[i]});
    }
    const auto before = [](const Right& a, const Right& b) { return a.element < b.element; };
    std::sort(output.elements.begin() + known, output.elements.end(), before);
    std::inplace_merge(output.elements.begin(), output.elements.begin() + known, output.elements.end(),
                       before);
  }
  for (const auto& [name, taken] : cut.taken) note(name, taken);
  taken_by_part_.push_back(cut.taken);
  return true;
}

void RightParts::note(const std::string& tensor, const Taken& taken) {
  const auto [known, fresh] = taken_.try_emplace(tensor, taken);
  known->second.first = std::min(known->second.first, taken.first);
  known->second.last = std::max(known->second.last, taken.last);
}

Expectation RightParts::expectation_of(const std::string& output) const {
  const RightOutput& right = outputs_.at(output);
  Expectation expected;
  expected.tensor = output;
  expected.bound = right.bound;
  expected.signed_zero = right.signed_zero;
  for (const Right& one : right.elements) add_right(one, expected);
  return expected;
}

void add_right(const Right& one, Expectation& expected) {
  for (RightStretch stretch : one.apart) {
    stretch.element = expected.value.size();
    expected.apart.push_back(stretch);
  }
  expected.value.push_back(one.value);
  expected.low.push_back(one.low);
  expected.high.push_back(one.high);
}

}  // namespace assay::properties
