// What a sample of threadgroups stored where it was not to store, held against what is right there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify/compare.hpp"
#include "harness/verify/sampled_run.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {

/// One element.
struct JudgedStray {
  std::string tensor;
  device::Size3 owner;                ///< the threadgroup that is to store it, as the grid says
  std::optional<WrongElement> wrong;  ///< nothing: it is right
};

/// Judges the elements that lie in the shares of as many threadgroups as the sample of the problem has;
/// shares are solved whole, so the rest is left out. `poison`: the pattern that fresh memory held.
std::vector<JudgedStray> judge_strays(const Operation& operation, const Problem& problem,
                                      const Arithmetic& arithmetic, const Share& share,
                                      const std::vector<Stray>& strays, std::uint16_t poison);

}  // namespace assay::properties
