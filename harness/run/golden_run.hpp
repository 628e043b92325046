// Runs of a kernel on golden files: each is read by the process that compiles, and judged in a confined one.
#pragma once

#include "harness/process/child.hpp"
#include "harness/run/kernel_under_test.hpp"
#include "harness/run/tracer.hpp"
#include "harness/run/verifier.hpp"

namespace assay::run {

/// All cases of options.golden (golden_cases.hpp), one file in memory at a time. The first that is rejected
/// is shrunk to rows and columns. A run is vacuous where no file could have told the kernel from one that
/// writes nothing. Throws golden::FormatError where a file is no longer what it was when the set was read.
ModeReport run_golden(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                      const VerifyOptions& options, Tracer& tracer, const process::Reporter& reporter);

/// One case of a golden file, neither shrunk nor counted. Throws golden::FormatError, and
/// std::invalid_argument that names the field where the case is not of its file.
ModeReport run_golden_case(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                           const properties::Case& test_case, Tracer& tracer,
                           const process::Reporter& reporter);

}  // namespace assay::run
