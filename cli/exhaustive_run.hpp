// What a child process does in an exhaustive run: every case of properties/exhaustive.hpp.
#pragma once

#include <cstdint>

#include "cli/child.hpp"
#include "cli/verifier.hpp"
#include "properties/exhaustive.hpp"

namespace assay::cli {

/// Throws std::invalid_argument that says why there is none for this kernel.
properties::ExhaustivePlan exhaustive_plan(const verify::KernelEntry& entry, properties::WordRange words);

/// As run_mode. The part "words" runs where arithmetic is strict.
void run_exhaustive(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
                    const Reporter& reporter);

}  // namespace assay::cli
