#include "properties/search.hpp"

#include <fmt/format.h>
#include <rapidcheck/Random.h>

#include <algorithm>
#include <set>

namespace assay::properties {
namespace {

rc::Shrinkable<Case> shrinkable_at(const rc::Gen<Case>& cases, std::uint64_t seed, std::uint64_t index) {
  const rc::Random random(rc::Random::Key{seed, index, 0, 0});
  return cases(random, static_cast<int>(std::min<std::uint64_t>(index, rc::kNominalSize)));
}

}  // namespace

Case case_at(const rc::Gen<Case>& cases, std::uint64_t seed, std::uint64_t index) {
  return shrinkable_at(cases, seed, index).value();
}

Shrunk shrink(const rc::Gen<Case>& cases, std::uint64_t seed, std::uint64_t index, const Predicate& passes,
              ShrinkLimit limit) {
  rc::Shrinkable<Case> current = shrinkable_at(cases, seed, index);
  Shrunk shrunk;
  std::set<std::string> tried;  // neighbours of one step are often neighbours of the next
  bool smaller_found = true;
  while (smaller_found && !shrunk.exhausted) {
    smaller_found = false;
    auto candidates = current.shrinks();
    while (auto candidate = candidates.next()) {
      if (shrunk.attempts == limit.attempts) {
        shrunk.exhausted = true;
        break;
      }
      const Case simpler = candidate->value();
      if (!tried.insert(to_line(simpler)).second) continue;
      ++shrunk.attempts;
      if (passes(simpler)) continue;
      current = *candidate;
      ++shrunk.steps;
      smaller_found = true;
      break;
    }
  }
  shrunk.smallest = current.value();
  return shrunk;
}

std::string Failure::describe_shrinking() const {
  return fmt::format("shrunk from case {} in {} steps ({} tried){}", index, shrunk.steps, shrunk.attempts,
                     shrunk.exhausted ? "; the limit was reached, a smaller one may fail" : "");
}

SearchResult search(const rc::Gen<Case>& cases, std::uint64_t seed, std::uint64_t count,
                    const Predicate& passes, ShrinkLimit limit) {
  SearchResult result;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Case problem = case_at(cases, seed, index);
    ++result.cases_run;
    if (passes(problem)) continue;
    result.failure = Failure{index, problem, shrink(cases, seed, index, passes, limit)};
    break;
  }
  return result;
}

}  // namespace assay::properties
