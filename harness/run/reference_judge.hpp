// Cases held against the reference: what `assay verify` does.
#pragma once

#include <memory>

#include "harness/run/case_loop.hpp"
#include "harness/run/tracer.hpp"

namespace assay::run {

/// Runs the kernel on each case and compares what it gives with the set of right answers; in fast mode and
/// strict arithmetic it tries a law on every third case too. The first failure is shrunk. A run that could
/// not have told the kernel from one that writes nothing, or that did not reach what it should, is vacuous.
/// What it is given must outlive it.
std::unique_ptr<CaseJudge> reference_judge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                                           const VerifyOptions& options, Tracer& tracer,
                                           const process::Reporter& reporter);

}  // namespace assay::run
