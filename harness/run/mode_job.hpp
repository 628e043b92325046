// The engine's jobs for a process pool: a kernel in one mode, or one case of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/process/pool.hpp"
#include "harness/run/verifier.hpp"

namespace assay::run {

/// Who hears of a job. Called in the process that waits; all but `ended` may be left out.
struct ModeListener {
  /// Before each case of so many, and again while that case is shrunk or diagnosed.
  std::function<void(std::uint64_t index, std::uint64_t of)> at = {};
  std::function<void(const std::string& text)> trace = {};     ///< what VerifyOptions::trace asks for
  std::function<void(const std::string& cause)> counted = {};  ///< a case that VerifyOptions::counted took
  /// Once, with what it came to, be it that the process died or was stopped.
  std::function<void(const ModeReport& report)> ended;
};

/// All cases of a kernel in one mode. The entry must outlive the job.
process::Job mode_job(const KernelEntry& entry, Mode mode, const VerifyOptions& options,
                      ModeListener listener);

/// One case in one mode, neither shrunk nor counted. The entry must outlive the job.
process::Job case_job(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
                      const CaseOptions& options, std::function<void(const ModeReport& report)> ended);

}  // namespace assay::run
