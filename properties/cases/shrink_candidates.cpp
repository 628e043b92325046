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

Case with_dim(Case problem, const std::string& name, std::int64_t value) {
  problem.dims[name] = value;
  return problem;
}

}  // namespace

std::vector<Case> CaseSpace::simpler(const Case& problem) const {
  std::vector<Case> found;
  add_simpler_sizes(problem, found);
  add_simpler_choices(problem, found);
  add_simpler_values(problem, found);
  for (Case& one : found) keep_legal(one);
  std::erase(found, problem);
  return found;
}

// A simpler choice may leave less room for those that depend on it, and a smaller size for places within it:
// these stay the same place, counted round.
void CaseSpace::keep_legal(Case& problem) const {
  for (const Dimension& one : declaration_.dimensions) {
    if (!one.at_most) continue;
    std::int64_t& value = problem.dims.at(one.name);
    if (value > one.at_most(problem.dims)) value = edges(one, problem.dims).front();
  }
  const Regime* regime = find_named(declaration_.regimes, problem.regime);
  if (regime == nullptr) return;  // one that is listed, whose knobs do not depend on sizes
  for (const Knob& knob : regime->knobs) {
    const auto found = problem.knobs.find(knob.name);
    if (found != problem.knobs.end()) found->second %= knob.largest(problem.dims, traits_.arithmetic) + 1;
  }
}

void CaseSpace::add_simpler_sizes(const Case& problem, std::vector<Case>& found) const {
  Case smallest = problem;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    if (!one.is_choice()) smallest.dims[one.name] = std::min(dim(problem.dims, one.name), ranges_[i].low);
  }
  if (smallest != problem) found.push_back(smallest);
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Dimension& one = declaration_.dimensions[i];
    if (one.is_choice()) continue;
    const std::int64_t value = dim(problem.dims, one.name);
    std::vector<std::int64_t> edges_below = edges(one, problem.dims);
    std::erase_if(edges_below, [&](std::int64_t edge) { return edge >= value; });
    std::sort(edges_below.begin(), edges_below.end());
    for (const std::int64_t edge : edges_below) found.push_back(with_dim(problem, one.name, edge));
    for (const std::int64_t part : bisected(value, ranges_[i].low, ranges_[i].multiple)) {
      if (ranges_[i].admits(part) &&
          std::find(edges_below.begin(), edges_below.end(), part) == edges_below.end()) {
        found.push_back(with_dim(problem, one.name, part));
      }
    }
  }
}

void CaseSpace::add_simpler_choices(const Case& problem, std::vector<Case>& found) const {
  for (const Dimension& one : declaration_.dimensions) {
    if (!one.is_choice()) continue;
    const std::int64_t value = dim(problem.dims, one.name);
    const auto choices = edges(one, problem.dims);
    const auto current = std::find(choices.begin(), choices.end(), value);
    for (auto choice = choices.begin(); choice != current; ++choice) {
      const Case simple = with_dim(problem, one.name, *choice);
      found.push_back(simple);
      // A fault may hang on the ratio (groups per K), so the sizes that follow a choice shrink along with it.
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        const Dimension& size = declaration_.dimensions[i];
        if (std::find(size.related.begin(), size.related.end(), one.name) == size.related.end()) continue;
        const std::int64_t before = dim(problem.dims, size.name);
        const std::int64_t scaled = before / value * *choice + before % value % *choice;
        if (scaled < before && ranges_[i].admits(scaled))
          found.push_back(with_dim(simple, size.name, scaled));
      }
    }
  }
}

void CaseSpace::add_simpler_values(const Case& problem, std::vector<Case>& found) const {
  for (const std::size_t i : regimes_) {
    const Regime& regime = declaration_.regimes[i];
    if (regime.name == problem.regime) break;
    Case simple = problem;
    simple.regime = regime.name;
    simple.knobs.clear();
    for (const Knob& knob : regime.knobs) simple.knobs[knob.name] = 0;
    found.push_back(std::move(simple));
  }
  for (const auto& [name, value] : problem.knobs) {
    for (const std::int64_t less : bisected(value, 0, 1)) {
      found.push_back(problem);
      found.back().knobs[name] = less;
    }
  }
  if (problem.seed != 0) {
    found.push_back(problem);
    found.back().seed = 0;
  }
}

}  // namespace assay::properties
