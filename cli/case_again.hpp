// Cases that are run by themselves: as results for machines, and once more for their tensors.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

/// As those of `assay verify` that had found this of these kernels.
report::Results results_of(const std::vector<run::KernelReport>& reports);

/// Runs the case of a replay line again, of the kernel among these that it names, and writes its tensors
/// (run/dump.hpp). A line that says so, or why there is no file: a verdict that is there is not lost for it.
std::string dump_again(const std::vector<const KernelEntry*>& kernels, const std::string& replay,
                       const run::CaseOptions& options);

}  // namespace assay::cli
