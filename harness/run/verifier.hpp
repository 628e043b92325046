// Verifies kernels, each way to run them in a process of its own, several at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/default_cases.hpp"
#include "assay/verdict.hpp"
#include "harness/run/golden_cases.hpp"
#include "harness/run/shaped_cases.hpp"
#include "harness/run/standing.hpp"
#include "harness/run/test_devices.hpp"
#include "harness/verify/claims.hpp"
#include "harness/verify/error_shares.hpp"
#include "harness/verify/failure.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/shard.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/exhaustive.hpp"

namespace assay::run {

/// Whose order of threadgroups is explored, of kernels by which these can meet (schedule_run.hpp).
struct ScheduleOptions {
  bool all = false;    ///< in place of cases that are drawn, and to the end
  double seconds = 0;  ///< for each kernel: 0 is as much as fits in a default run
};

struct VerifyOptions {
  std::uint64_t cases = kDefaultCases;
  std::uint64_t seed = 1;
  std::uint64_t first_case = 0;  ///< of that seed's cases, the number of the first that is run
  std::vector<Mode> modes = {Mode::fast, Mode::checked};
  double timeout_s = 60;  ///< of processor time, for one case
  double enough_s = 0;  ///< of processor time, of one mode: then the cases so far are enough; 0: all are run
  unsigned jobs = 2;    ///< processes at a time
  /// Instead of cases that are drawn, all that there are, and these packed words (exhaustive.hpp).
  std::optional<properties::WordRange> exhaustive = {};
  std::string device = std::string(device::kDefaultDevice);  ///< a registered device (device::make_device)
  unsigned threads = 1;                                      ///< of each process, where one launch is large
  Shapes shapes = {};                                        ///< in place of cases that are drawn and planned
  std::shared_ptr<const GoldenSet> golden = {};              ///< in place of cases, if there is one
  std::uint64_t budget = 1;                                  ///< of large cases (properties::Case::budget)
  /// Simpler cases that are tried of a large one that is rejected, each for a second or more: enough to halve
  /// two long sizes and to try what else there is.
  std::uint64_t tries_of_large = 80;
  ScheduleOptions schedules = {};
  bool planned = true;      ///< beside those that are drawn, the cases of planned_cases.hpp
  bool designed = true;     ///< sizes by design (ordinary_cases.hpp); else all of them are drawn
  bool laws_alone = false;  ///< every law on every case, without the reference
  bool coverage = false;    ///< say in full what the cases reached: special values and branches too
  bool trace = false;  ///< show what each launch of a case is given and what it leaves; not while shrinking
  /// Of all kernels in all modes, those to run. A kernel's modes of fast arithmetic stay together, for one
  /// may take its verdict from another.
  Shard shard = {};

  /// Asked of each case that is rejected, in the process that runs the kernel: is it counted and no more?
  /// Then the run goes on behind it. What is not counted ends the run, and is shrunk for as long as its cause
  /// stays the same.
  std::function<bool(Verdict verdict, const std::string& cause, const properties::Case& rejected)> counted =
      {};

  bool covers(Mode mode) const { return std::find(modes.begin(), modes.end(), mode) != modes.end(); }

  /// Cases of one mode: `cases`, or half as many where strict arithmetic runs them all and this mode asks
  /// again what a compiler may do to them.
  std::uint64_t cases_of(Mode mode) const {
    return numerics_of(mode) != Numerics::strict && covers(Mode::fast) ? (cases + 1) / 2 : cases;
  }

  /// The mode that counts what the manifest claims, once all cases are right: the last in strict arithmetic,
  /// which always runs if it is there, or else the last.
  Mode counts() const {
    const auto strict = std::find_if(modes.rbegin(), modes.rend(),
                                     [](Mode mode) { return numerics_of(mode) == Numerics::strict; });
    return strict == modes.rend() ? modes.back() : *strict;
  }
};

/// What one way to run a kernel said of it.
struct ModeReport {
  Mode mode = Mode::fast;
  Verdict verdict = Verdict::error;
  std::string summary;     ///< one line; empty for a pass
  std::string text;        ///< the failure in full, for people; empty for a pass
  std::string replay;      ///< the argument of `assay replay`; empty for a pass
  std::string cause;       ///< of a rejection: cause.hpp; empty for a pass
  std::string conclusion;  ///< what its diagnosis says first; empty where there is none
  std::uint64_t cases_run = 0;
  double seconds = 0;
  properties::Coverage coverage = {};  ///< what the cases that were judged reached
  /// Pairs of sizes, and conditions of the kernel's text, for people; where VerifyOptions::coverage asks.
  std::string branches;
  std::string schedules;        ///< how many were explored, for people; where the kernel has atomics
  bool same_as_strict = false;  ///< not run: compiled to the code that strict arithmetic is
  /// Where the fault is, as far as it is known of one: a line of the kernel's text.
  std::optional<device::SourcePlace> place = {};
  std::optional<Failure> failure = {};   ///< what `text` says, as data; none for a pass
  ErrorShares errors = {};               ///< of the results that were judged; of a pass
  std::vector<ClaimResult> claims = {};  ///< of the entry, where this mode counted them
  /// Seconds until its first case, and whether the cache had all that is compiled for it; none where it could
  /// not be loaded.
  struct Loading {
    double seconds = 0;
    bool cached = false;
  };
  std::optional<Loading> loading = {};
};

struct KernelReport {
  const KernelEntry* entry = nullptr;
  std::vector<ModeReport> modes;

  /// The report whose verdict says most: a fault of memory or order is the cause of a wrong result, and what
  /// is wrong in strict arithmetic is not the fault of another.
  const ModeReport& decisive() const;

  /// The numerics modes that it was run in and passed; none where strict arithmetic, run too, rejects it.
  std::vector<Numerics> survived() const;
  /// Whether strict arithmetic rejects it: then what other arithmetic does to it means nothing.
  bool rejected_as_written() const;
};

/// Called as the work goes on.
struct Progress {
  std::function<void(const Standing&)> step;  ///< often, for a progress line
  std::function<void(const KernelReport&)> finished;
  std::function<void(const std::string& text)> trace;  ///< what VerifyOptions::trace asks for
  /// A kernel has ended in one mode, in any order; before `finished` of that kernel. `last`: of its modes.
  std::function<void(const KernelEntry&, const ModeReport&, bool last)> mode_ended = {};
};

/// All kernels in all ways, less what is for another shard: a kernel of which nothing is left has no report.
/// `finished` is called once a kernel, in the order of `entries`.
std::vector<KernelReport> verify_kernels(const std::vector<const KernelEntry*>& entries,
                                         const VerifyOptions& options, const Progress& progress = {});

struct CaseOptions {
  std::string law = {};   ///< its name: that alone is asked, not the reference
  double timeout_s = 60;  ///< of processor time
  std::string device = std::string(device::kDefaultDevice);
  std::function<void(const std::string&)> trace = {};  ///< is given what each launch is given and leaves
  std::string dump = {};  ///< a file that gets the case's tensors (dump.hpp); "": none
};

/// One case in one mode, in a process of its own.
ModeReport verify_case(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
                       const CaseOptions& options = {});

/// 0, 1 or 2: rejected counts before not judged.
int exit_status(const std::vector<KernelReport>& reports);

}  // namespace assay::run
