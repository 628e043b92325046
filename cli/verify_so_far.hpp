// What a verification has come to when it is interrupted, and what it says of each step.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/styled.hpp"
#include "harness/run/verifier.hpp"

namespace assay::cli {

/// A kernel in one mode, a line:
/// "dequant_fp4 fast: pass, 250 cases in 1.2 s, 208 a second; compiled in 1.9 s".
std::string step_text(const KernelEntry& entry, const run::ModeReport& report);

/// For a progress line:
/// "7 of 116 runs done, 2,340 cases, 310 a second, about 40 s left: k checked, case 3 of 250".
std::string progress_text(const run::Standing& standing);

/// What is known of kernels while others are still at work.
class VerifySoFar {
 public:
  explicit VerifySoFar(const std::vector<const KernelEntry*>& chosen) : chosen_(chosen) {}

  /// A kernel has ended in one mode, of all that it runs in the `last`.
  void add(const KernelEntry& entry, const run::ModeReport& report, bool last);
  void at(const run::Standing& standing) { standing_ = standing; }
  /// Its row is in the table.
  void announced(const KernelEntry& entry) { announced_.insert(&entry); }

  /// Kernels without a row that ended in some mode, a line each, then the failures of all in full.
  report::StyledText results() const;
  /// "2 of 29 kernels passed, 1 was rejected, 26 were not finished; 740 cases in 12 s". A kernel is rejected
  /// as soon as one mode rejects it; it has passed, or could not be judged, once all of its modes have ended.
  std::string words() const;

 private:
  // In the order of chosen_. A mode that was not run, for its code is that of another, says nothing.
  std::vector<run::KernelReport> reports() const;

  std::vector<const KernelEntry*> chosen_;
  std::set<const KernelEntry*> announced_, whole_;
  std::map<const KernelEntry*, std::vector<run::ModeReport>> ended_;
  run::Standing standing_;
};

}  // namespace assay::cli
