#include "properties/cases/search.hpp"

#include <fmt/format.h>
#include <rapidcheck/Random.h>

#include <algorithm>
#include <set>

namespace assay::properties {
Case case_at(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index) {
  rc::Random random(rc::Random::Key{seed, index, 0, 0});
  return cases.draw(random.next(), static_cast<int>(std::min<std::uint64_t>(index, kNominalSize)));
}

Shrunk shrink(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index, const Predicate& passes,
              ShrinkLimit limit) {
  return shrink(cases, case_at(cases, seed, index), passes, limit);
}

Shrunk shrink(const CaseSpace& cases, const Case& failing, const Predicate& passes, ShrinkLimit limit) {
  Shrunk shrunk;
  shrunk.smallest = failing;
  std::set<std::string> tried;  // neighbours of one step are often neighbours of the next
  bool smaller_found = true;
  while (smaller_found && !shrunk.exhausted) {
    smaller_found = false;
    for (const Case& candidate : cases.shrinks(shrunk.smallest)) {
      if (shrunk.attempts == limit.attempts) {
        shrunk.exhausted = true;
        break;
      }
      if (!tried.insert(to_line(candidate)).second) continue;
      ++shrunk.attempts;
      if (passes(candidate)) continue;
      shrunk.smallest = candidate;
      ++shrunk.steps;
      smaller_found = true;
      break;
    }
  }
  return shrunk;
}

std::string FailingCase::describe_shrinking() const {
  return fmt::format("shrunk from case {} in {} steps ({} tried){}", index, shrunk.steps, shrunk.attempts,
                     shrunk.exhausted ? "; the limit was reached, a smaller one may fail" : "");
}

SearchResult search(const CaseSpace& cases, std::uint64_t seed, std::uint64_t count, const Predicate& passes,
                    ShrinkLimit limit) {
  SearchResult result;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Case test_case = case_at(cases, seed, index);
    ++result.cases_run;
    if (passes(test_case)) continue;
    result.failure = FailingCase{index, test_case, shrink(cases, seed, index, passes, limit)};
    break;
  }
  return result;
}

}  // namespace assay::properties
