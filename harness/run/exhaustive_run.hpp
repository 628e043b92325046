// What a child process does in an exhaustive run: every case of properties/exhaustive.hpp.
#pragma once

#include <cstdint>

#include "harness/process/child.hpp"
#include "harness/run/verifier.hpp"
#include "properties/exhaustive.hpp"

namespace assay::run {

/// Throws std::invalid_argument that says why there is none for this kernel.
properties::ExhaustivePlan exhaustive_plan(const verify::KernelEntry& entry, properties::WordRange words);

/// As run_mode. The part "words" runs where arithmetic is strict.
void run_exhaustive(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
                    const process::Reporter& reporter);

}  // namespace assay::run
