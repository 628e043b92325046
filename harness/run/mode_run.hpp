// What a child process does: all cases of one kernel run in one way, or a single one.
#pragma once

#include <string>

#include "harness/process/child.hpp"
#include "harness/run/verifier.hpp"

namespace assay::run {

/// Compiles, runs options.cases cases, shrinks the first that fails, reports. Messages: {"type": "loaded",
/// "seconds", "cached"} once the kernel can be run, {"type": "case",
/// "index", "of"} before each case, {"type": "trace", "text"} around each launch where options.trace asks for
/// it,
/// {"type": "case", "index", "law"} before a law is tried on it,
/// {"type": "seen"} for each that a launch shows, {"type": "found"} with the report so far, {"type":
/// "result"} at the end. Where the code is that of strict arithmetic, which is verified beside it, {"type":
/// "same"} and nothing else.
void run_mode(const KernelEntry& entry, Mode mode, const VerifyOptions& options,
              const process::Reporter& reporter);

/// One case, without shrinking: against the reference, or one law of it where `law` names one. A wrong result
/// is diagnosed as in a run.
void run_case(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
              const CaseOptions& options, const process::Reporter& reporter);

}  // namespace assay::run
