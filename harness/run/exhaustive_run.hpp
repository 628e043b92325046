// Exhaustive runs: every case of an operation's properties::ExhaustiveRun.
#pragma once

#include <memory>

#include "harness/run/case_loop.hpp"
#include "properties/cases/exhaustive.hpp"

namespace assay::run {

/// Throws std::invalid_argument that says why there is none for this kernel.
std::unique_ptr<properties::ExhaustiveRun> exhaustive_cases(const KernelEntry& entry,
                                                            properties::WordRange words);

/// Holds every case against the reference, the words by their sixteen values. What it is given must outlive
/// it.
std::unique_ptr<CaseJudge> exhaustive_judge(const KernelUnderTest& loaded, const KernelEntry& entry,
                                            Mode mode, const VerifyOptions& options);

}  // namespace assay::run
