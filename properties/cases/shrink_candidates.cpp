// Shrinking: the simpler neighbours of a case.
#include <algorithm>
#include <utility>

#include "properties/cases/space.hpp"

namespace assay::properties {
namespace {

/// Values below `value`, nearest to `low` first: low, then low plus half, three quarters, ... of the way.
std::vector<std::int64_t> bisected(std::int64_t value, std::int64_t low, std::int64_t multiple) {
  std::vector<std::int64_t> found;
  for (std::int64_t gap = (value - low) / multiple; gap > 0; gap /= 2)
    found.push_back(value - gap * multiple);
  return found;
}

Case with_dim(Case test_case, const std::string& name, std::int64_t value) {
  test_case.dims[name] = value;
  return test_case;
}

}  // namespace

std::vector<Case> CaseSpace::shrinks(const Case& test_case) const {
  std::vector<Case> found;
  add_shrunk_sizes(test_case, found);
  add_shrunk_choices(test_case, found);
  add_shrunk_values(test_case, found);
  for (Case& one : found) keep_legal(one);
  std::erase(found, test_case);
  return found;
}

// A simpler choice may leave less room for those that depend on it, and a smaller size for places within it:
// these stay the same place, counted round.
void CaseSpace::keep_legal(Case& test_case) const {
  for (const Dimension& one : declaration_.dimensions) {
    if (!one.at_most) continue;
    std::int64_t& value = test_case.dims.at(one.name);
    if (value > one.at_most(test_case.dims)) value = edges(one, test_case.dims).front();
  }
  const Regime* regime = find_named(declaration_.regimes, test_case.regime);
  if (regime == nullptr) return;  // one that is listed, whose knobs do not depend on sizes
  for (const Knob& knob : regime->knobs) {
    const auto found = test_case.knobs.find(knob.name);
    if (found != test_case.knobs.end()) found->second %= knob.largest(test_case.dims, traits_.arithmetic) + 1;
  }
}

void CaseSpace::add_shrunk_sizes(const Case& test_case, std::vector<Case>& found) const {
  Case smallest = test_case;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    if (!one.is_choice()) smallest.dims[one.name] = std::min(dim(test_case.dims, one.name), ranges_[i].low);
  }
  if (smallest != test_case) found.push_back(smallest);
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    if (one.is_choice()) continue;
    const std::int64_t value = dim(test_case.dims, one.name);
    std::vector<std::int64_t> edges_below = edges(one, test_case.dims);
    std::erase_if(edges_below, [&](std::int64_t edge) { return edge >= value; });
    std::sort(edges_below.begin(), edges_below.end());
    for (const std::int64_t edge : edges_below) found.push_back(with_dim(test_case, one.name, edge));
    for (const std::int64_t part : bisected(value, ranges_[i].low, ranges_[i].multiple)) {
      if (ranges_[i].admits(part) &&
          std::find(edges_below.begin(), edges_below.end(), part) == edges_below.end()) {
        found.push_back(with_dim(test_case, one.name, part));
      }
    }
  }
}

void CaseSpace::add_shrunk_choices(const Case& test_case, std::vector<Case>& found) const {
  for (const Dimension& one : declaration_.dimensions) {
    if (!one.is_choice()) continue;
    const std::int64_t value = dim(test_case.dims, one.name);
    const auto choices = edges(one, test_case.dims);
    const auto current = std::find(choices.begin(), choices.end(), value);
    for (auto choice = choices.begin(); choice != current; ++choice) {
      const Case simple = with_dim(test_case, one.name, *choice);
      found.push_back(simple);
      // A fault may hang on the ratio (groups per K), so the sizes that follow a choice shrink along with it.
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        const Dimension& size = declaration_.dimensions[i];
        if (std::find(size.related.begin(), size.related.end(), one.name) == size.related.end()) continue;
        const std::int64_t before = dim(test_case.dims, size.name);
        const std::int64_t scaled = before / value * *choice + before % value % *choice;
        if (scaled < before && ranges_[i].admits(scaled))
          found.push_back(with_dim(simple, size.name, scaled));
      }
    }
  }
}

void CaseSpace::add_shrunk_values(const Case& test_case, std::vector<Case>& found) const {
  for (const std::size_t i : regimes_) {
    const Regime& regime = declaration_.regimes[i];
    if (regime.name == test_case.regime) break;
    Case simple = test_case;
    simple.regime = regime.name;
    simple.knobs.clear();
    for (const Knob& knob : regime.knobs) simple.knobs[knob.name] = 0;
    found.push_back(std::move(simple));
  }
  for (const auto& [name, value] : test_case.knobs) {
    for (const std::int64_t less : bisected(value, 0, 1)) {
      found.push_back(test_case);
      found.back().knobs[name] = less;
    }
  }
  if (test_case.seed != 0) {
    found.push_back(test_case);
    found.back().seed = 0;
  }
}

}  // namespace assay::properties
