// Exhaustive runs: every case of properties/exhaustive.hpp.
#pragma once

#include <memory>

#include "harness/run/case_loop.hpp"
#include "properties/exhaustive.hpp"

namespace assay::run {

/// Throws std::invalid_argument that says why there is none for this kernel.
properties::ExhaustivePlan exhaustive_plan(const verify::KernelEntry& entry, properties::WordRange words);

/// Holds every case against the reference, the words by their sixteen values. What it is given must outlive
/// it.
std::unique_ptr<CaseJudge> exhaustive_judge(const KernelUnderTest& loaded, const verify::KernelEntry& entry,
                                            Way way, const VerifyOptions& options);

}  // namespace assay::run
