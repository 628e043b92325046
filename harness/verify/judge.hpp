// From all that was seen of one case to a verdict.
#pragma once

#include <string>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "assay/verdict.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/small_inputs.hpp"

namespace assay {

/// What was seen of one case.
struct Evidence {
  device::LaunchReport report;
  std::vector<Comparison> comparisons;    ///< one an output
  std::vector<BitDifference> second_run;  ///< outputs that came out otherwise on a second run
  std::vector<std::string> changed_inputs;
  std::vector<InputText> inputs = {};  ///< where a result is wrong and some can be read
};

struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string summary;               ///< one line, without the verdict's name
  std::vector<std::string> details;  ///< one line each: everything seen, the decisive first
};

/// Faults come before results, and among faults the cause before what it brings about (judge.cpp says which
/// brings about which); then elements that are wrong or were never written, inputs that the kernel wrote to,
/// and bits that differ on the second run.
Outcome judge(const Evidence& evidence);

/// Makes faults of the results that Metal leaves undefined, where something is wrong that may come of them;
/// else nothing came of them, and they are forgotten.
void blame_undefined(Evidence& evidence);

/// The faults of a report with the likeliest cause first.
std::vector<device::Fault> by_cause(const device::LaunchReport& report);

/// "race at gemm.metal:42 (64 times in this case)": kind, place and count of a fault, without its message.
std::string headline(const device::Fault& fault);

/// One line on an output that is not right, and on one that is not deterministic.
std::string describe(const Comparison& comparison);
std::string describe(const BitDifference& difference);
std::string describe(const device::InactiveRead& read);

/// Those that may be behind wrong elements: some of them, and none where no element is wrong.
std::vector<device::InactiveRead> inactive_reads_behind(const Evidence& evidence);

/// What differs on a second run, but for outputs whose comparison tells it all: the elements that differ are
/// as many as were never written, and memory that nobody writes holds what it was filled with.
std::vector<BitDifference> untold_differences(const Evidence& evidence);

/// A value of a result to so many digits. NaN has no sign here: what prints it may or may not keep it.
std::string value_text(double value, int digits);

/// "gemm.metal:42", or "unknown place".
std::string to_text(const device::SourcePlace& place);

}  // namespace assay
