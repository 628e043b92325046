// Cases that take their process down, or hang: made smaller in processes of their own, one for each try.
#pragma once

#include <functional>
#include <optional>

#include "harness/fuzz/kept_finding.hpp"
#include "harness/process/pool.hpp"

namespace assay::fuzz {

/// Shrinks the case of such a finding for as long as its cause stays the same. `options` for each try, with
/// the finding's law. `ended` gets the report of the smallest; nothing where the case itself does not show it
/// again. The entry must outlive the job.
process::Job shrink_death(const KernelEntry& entry, const KeptFinding& finding, run::CaseOptions options,
                          std::function<void(const std::optional<run::ModeReport>&)> ended);

}  // namespace assay::fuzz
