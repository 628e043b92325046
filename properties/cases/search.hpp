// Looking for a case that fails, and for the simplest one that does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "properties/cases/space.hpp"

namespace assay::properties {

/// True when the case passes. It must be pure: the same case, the same answer, for it may run anywhere and
/// more than once.
using Predicate = std::function<bool(const Case&)>;

/// Case number `index` of a run: (seed, index) gives the same case everywhere, whatever came before. The
/// rapidcheck size is the index until it reaches its nominal maximum, so the first cases are the edges.
Case case_at(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index);
/// Case number `index` of a run by design, of these dimensions, which are all there and legal, or of those
/// that follow from the index alone: the seed gives its values, and nothing else.
Case designed_case(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index, const Dims* dims);

struct ShrinkLimit {
  std::uint64_t attempts = 1000;  ///< cases tried at most; reaching it is said in Shrunk
  /// What they may take together (CaseSpace::work_of): minutes, of threadgroups that a GPU runs in a second.
  double work = 0x1p36;
};

struct Shrunk {
  Case smallest;
  std::uint64_t attempts = 0;  ///< cases tried
  double work = 0;             ///< of those
  std::uint64_t steps = 0;     ///< of those, the ones that failed too and were followed
  bool exhausted = false;      ///< stopped by the limit: something smaller may still fail
};

/// Makes a case, which must fail, as simple as it goes: follows the first simpler case that fails, until none
/// does. Deterministic.
Shrunk shrink(const CaseSpace& cases, const Case& failing, const Predicate& passes, ShrinkLimit limit = {});
/// The same where other cases are the simpler ones than the space's own.
using Simpler = std::function<std::vector<Case>(const Case&)>;
Shrunk shrink(const CaseSpace& cases, const Simpler& simpler, const Case& failing, const Predicate& passes,
              ShrinkLimit limit = {});
/// The same for case number `index` of a run.
Shrunk shrink(const CaseSpace& cases, std::uint64_t seed, std::uint64_t index, const Predicate& passes,
              ShrinkLimit limit = {});

/// The same where a try takes long, as that of a large case does: first each size by itself, the largest
/// first, is halved between what passes and what fails, for that says at which width it fails; then the rest.
Shrunk shrink_sizes_first(const CaseSpace& cases, const Case& failing, const Predicate& passes,
                          ShrinkLimit limit);

struct FailingCase {
  std::uint64_t index = 0;
  Case found;
  Shrunk shrunk;
  /// "shrunk from case 17 in 5 steps (143 tried)", and whether the limit stopped it.
  std::string describe_shrinking() const;
};

struct SearchResult {
  std::uint64_t cases_run = 0;
  std::optional<FailingCase> failure;
};

/// Tries cases 0 to count-1 in order and shrinks the first that fails.
SearchResult search(const CaseSpace& cases, std::uint64_t seed, std::uint64_t count, const Predicate& passes,
                    ShrinkLimit limit = {});

}  // namespace assay::properties
