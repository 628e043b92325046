// Prepared cases run by a compiled kernel, in a process of its own that may crash or hang.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "assay/verdict.hpp"
#include "harness/mutate/mutant_code.hpp"
#include "harness/mutate/mutated_kernel.hpp"
#include "harness/run/test_devices.hpp"

namespace assay::mutate {

inline constexpr run::Mode kFast = run::Mode::fast, kChecked = run::Mode::checked;
/// Tried after the two of strict arithmetic, in fast mode, on half the cases.
inline constexpr std::array<metal::Numerics, 2> kLoose = {metal::Numerics::contracted,
                                                          metal::Numerics::reassociated};

/// What a process said of one module.
struct Judgement {
  Verdict verdict = Verdict::pass;
  std::int64_t case_ = 0;  ///< among the kernel's cases, where it is rejected
  std::string summary;
  Rejected criteria{};
};

/// Runs these cases in turn until one is rejected; with `criteria`, before them those that the criteria
/// judge, until each criterion has rejected one. A case that takes more steps than it may is a
/// timeout.
Judgement judge(const MutatedKernel& kernel, run::Mode mode, const Module& module,
                const std::vector<std::size_t>& cases, bool criteria = false);

/// Holds a kernel against what its manifest claims, or a text in the kernel's place.
Judgement judge_claims(const KernelEntry& entry);
Judgement judge_claims(const MutatedKernel& kernel, const std::string& text);

/// Cases to run the kernel itself on, one way.
struct Baseline {
  run::Mode mode;
  std::vector<std::size_t> cases;
};

/// Runs the kernel itself, `jobs` ways at a time, and notes how many steps it takes and which criteria reject
/// what is right. Throws std::runtime_error if a case is rejected: mutants of a wrong kernel say nothing.
/// Nothing can be said about some cases; false where nothing can about any.
bool run_baselines(MutatedKernel& kernel, const std::vector<Baseline>& baselines, unsigned jobs = 1);

}  // namespace assay::mutate
