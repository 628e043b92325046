// A rejected case made as small as it goes, in the confined process of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/process/child.hpp"
#include "harness/run/finding.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {

/// A case that a kernel is rejected for.
struct Rejected {
  std::uint64_t index = 0;
  const properties::Case& test_case;
  const properties::TrialResult& result;
  double seconds = 0;  ///< of processor time that it took
};

/// How cases are run and made simpler.
struct Shrinking {
  std::function<properties::TrialResult(const properties::Case&)> run;
  /// Follows the simpler cases that fail.
  std::function<properties::Shrunk(const properties::Case& failing, const properties::Predicate& passes)>
      follow;
  /// A line on the smallest case, for the end of the report.
  std::function<std::string(const properties::Case& smallest)> words = {};
};

/// Processor time of this process so far.
double processor_seconds();

/// The report of the smallest case that still fails with the verdict, and where cases are counted for the
/// cause. Sends
/// {"type": "found"} with what is known so far, first of the case itself and then of each smaller one, should
/// the next not end. One whose verdict is `error` is not shrunk.
Finding smallest_of(const Rejected& rejected, const Shrinking& shrinking, const KernelUnderTest& loaded,
                    const KernelEntry& entry, Mode mode, const VerifyOptions& options,
                    const process::Reporter& reporter);

}  // namespace assay::run
