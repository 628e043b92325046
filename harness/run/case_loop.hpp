// The loop over cases: whatever is asked of a kernel is asked case by case, in a confined process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "harness/process/child.hpp"
#include "harness/run/finding.hpp"
#include "harness/run/verifier.hpp"

namespace assay::run {

/// Where the cases of a run come from: drawn, all that there are, or given (golden files: golden_run.hpp).
struct CaseSource {
  std::uint64_t count = 0;
  std::function<properties::Case(std::uint64_t index)> at;
  double enough_s = 0;  ///< VerifyOptions::enough_s
  /// Where not all need run: what a case takes, in any unit; 0: a sample of it is run.
  std::function<double(const properties::Case&)> work = {};
};

/// Those that `options` ask for: drawn by seed with those that are planned behind them, or all of an
/// exhaustive run. Compiles nothing. Throws std::invalid_argument where there is no exhaustive run of this
/// kernel.
CaseSource cases_of(const KernelEntry& entry, Mode mode, const VerifyOptions& options);

/// What is asked on each case.
class CaseJudge {
 public:
  virtual ~CaseJudge() = default;
  /// What ends the run, if anything does.
  virtual std::optional<Finding> judge(std::uint64_t index, const properties::Case& test_case) = 0;
  /// What a run comes to that no case has ended.
  virtual Finding conclude(std::uint64_t count) = 0;
};

/// Sends {"type": "case", "index", "of"} before each case, and asks. Where not all need run, cases that would
/// take longer than what is left, as those before them did, come last, and those that still do not fit are
/// left out.
Finding run_cases(const CaseSource& source, CaseJudge& judge, const process::Reporter& reporter);

}  // namespace assay::run
