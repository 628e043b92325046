// A large case tried on a kernel: some of its threadgroups run, and what they store is held against what is
// right for that part of the problem.
#pragma once

#include <span>

#include "properties/cases/trial.hpp"

namespace assay::properties {

/// Runs a sample of a large case's threadgroups on each device, as Trial::run does with whole ones: more of
/// them where each has less to work through. What threadgroups must have stored is what the grid says; where
/// they stored other elements in place of those, as where a kernel numbers its tiles in another order, these
/// are held against what is right for them. The verdict is `vacuous` where the grid does not say who stores
/// what. Throws as Trial::run(Problem) does not: what the problem or its parts cannot be, as
/// std::invalid_argument or Unjudgeable.
TrialResult run_large(const Trial& trial, const Case& test_case, std::span<const TestDevice> devices,
                      std::span<const device::KernelId> kernels);

}  // namespace assay::properties
