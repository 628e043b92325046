#include "properties/cases/search.hpp"

#include <fmt/format.h>
#include <rapidcheck/Random.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace assay::properties {
Case case_at(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index) {
  rc::Random random(rc::Random::Key{seed, index, 0, 0});
  return cases.draw(random.next(), static_cast<int>(std::min<std::uint64_t>(index, kNominalSize)));
}

Case designed_case(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index, const Dims* dims) {
  rc::Random planned(rc::Random::Key{0, index, 0, 0});
  const std::uint64_t key = planned.next();
  Case one = dims != nullptr
                 ? cases.draw(key, *dims)
                 : cases.draw(key, static_cast<int>(std::min<std::uint64_t>(index, kNominalSize)));
  one.seed = static_cast<std::uint32_t>(rc::Random(rc::Random::Key{seed, index, 0, 0}).next());
  return one;
}

Shrunk shrink(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index, const Predicate& passes,
              ShrinkLimit limit) {
  return shrink(cases, case_at(cases, seed, index), passes, limit);
}

namespace {

/// Counts the case among those that are tried; or says that the limit is reached.
bool may_try(const CaseSpace& cases, const Case& candidate, const ShrinkLimit& limit, Shrunk& shrunk) {
  const double work = cases.work_of(candidate.dims);
  shrunk.exhausted = shrunk.attempts == limit.attempts || shrunk.work + work > limit.work;
  if (shrunk.exhausted) return false;
  ++shrunk.attempts;
  shrunk.work += work;
  return true;
}

}  // namespace

Shrunk shrink(const CaseSpace& cases, const Case& failing, const Predicate& passes, ShrinkLimit limit) {
  return shrink(
      cases, [&](const Case& one) { return cases.shrinks(one); }, failing, passes, limit);
}

Shrunk shrink(const CaseSpace& cases, const Simpler& simpler, const Case& failing, const Predicate& passes,
              ShrinkLimit limit) {
  Shrunk shrunk;
  shrunk.smallest = failing;
  std::set<std::string> tried;  // neighbours of one step are often neighbours of the next
  bool smaller_found = true;
  while (smaller_found && !shrunk.exhausted) {
    smaller_found = false;
    for (const Case& candidate : simpler(shrunk.smallest)) {
      if (tried.contains(to_line(candidate))) continue;
      if (!may_try(cases, candidate, limit, shrunk)) break;
      tried.insert(to_line(candidate));
      if (passes(candidate)) continue;
      shrunk.smallest = candidate;
      ++shrunk.steps;
      smaller_found = true;
      break;
    }
  }
  return shrunk;
}

namespace {

/// Of the sizes that kernels ask for.
constexpr std::int64_t kLargestMultiple = 1024;

/// The case with that size or the next above that the kernel takes; nothing where there is none below what it
/// has.
std::optional<Case> with_size(const CaseSpace& cases, const Case& test_case, const std::string& name,
                              std::int64_t wanted) {
  for (std::int64_t multiple = 1; multiple <= kLargestMultiple; multiple *= 2) {
    Case sized = test_case;
    std::int64_t& size = sized.dims.at(name);
    const std::int64_t above = (wanted + multiple - 1) / multiple * multiple;
    if (above >= size) return std::nullopt;
    size = above;
    if (cases.at(sized.dims)) return sized;
  }
  return std::nullopt;
}

/// Halves one size of what fails, down to the smallest that does beside one that passes.
void bisect(const CaseSpace& cases, const std::string& name, const Predicate& passes, ShrinkLimit limit,
            Shrunk& shrunk) {
  std::int64_t passing = 0;
  for (std::int64_t wanted = 1; !shrunk.exhausted;) {
    const std::int64_t failing = shrunk.smallest.dims.at(name);
    const auto candidate = with_size(cases, shrunk.smallest, name, wanted);
    if (!candidate) return;
    const std::int64_t tried = candidate->dims.at(name);
    if (tried <= passing || tried >= failing) return;
    if (!may_try(cases, *candidate, limit, shrunk)) return;
    if (passes(*candidate)) {
      passing = tried;
    } else {
      shrunk.smallest = *candidate;
      ++shrunk.steps;
    }
    wanted = passing + (shrunk.smallest.dims.at(name) - passing) / 2;
  }
}

}  // namespace

Shrunk shrink_sizes_first(const CaseSpace& cases, const Case& failing, const Predicate& passes,
                          ShrinkLimit limit) {
  std::vector<std::pair<std::int64_t, std::string>> sizes;
  for (const Dimension& one : cases.declaration().dimensions) {
    if (!one.is_choice()) sizes.emplace_back(-failing.dims.at(one.name), one.name);
  }
  std::sort(sizes.begin(), sizes.end());
  Shrunk shrunk;
  shrunk.smallest = failing;
  for (const auto& [size, name] : sizes) bisect(cases, name, passes, limit, shrunk);
  Shrunk rest =
      shrink(cases, shrunk.smallest, passes, {limit.attempts - shrunk.attempts, limit.work - shrunk.work});
  rest.work += shrunk.work;
  rest.attempts += shrunk.attempts;
  rest.steps += shrunk.steps;
  rest.exhausted |= shrunk.exhausted;
  return rest;
}

std::string FailingCase::describe_shrinking() const {
  return fmt::format(
      "shrunk from case {} in {} steps ({} tried){}", index, shrunk.steps, shrunk.attempts,
      shrunk.exhausted ? "; the limit of tries was reached, so a smaller case may fail too" : "");
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
