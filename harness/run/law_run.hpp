// Laws on the cases of a run: a few beside the reference, or all of them without it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/process/child.hpp"
#include "harness/run/case_loop.hpp"
#include "properties/laws/check_law.hpp"

namespace assay::run {

/// Tries one law a case, in turn.
class LawRun {
 public:
  /// What it is given must outlive it.
  LawRun(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode, const VerifyOptions& options,
         const process::Reporter& reporter);

  /// After case `index` has passed with that result, on every third case: the next of the laws that say
  /// something of it. The report of a law that does not hold, on the smallest case on which it does not.
  std::optional<ModeReport> try_next(std::uint64_t index, const properties::Case& test_case,
                                     const Problem& problem, const properties::TrialResult& ran);

  /// Every law that has not been broken yet on case `index`, without the reference. False when the device has
  /// failed, and there is no point in going on.
  bool try_all(std::uint64_t index, const properties::Case& test_case);

  /// The first law that try_all() found broken, with the names of all that are; nothing if they hold.
  std::optional<ModeReport> broken() const;

  /// Adds "law NAME", as often as its claims were asked; 0 where it says nothing of any case.
  void cover(properties::Coverage& coverage) const;
  bool asked_nothing() const;

 private:
  void announce(std::uint64_t index, const std::string& law) const;
  ModeReport report_broken(std::uint64_t index, const properties::Case& test_case,
                           const properties::laws::Law& law) const;

  const KernelUnderTest& loaded_;
  const KernelEntry& entry_;
  Mode mode_;
  const VerifyOptions& options_;
  const process::Reporter& reporter_;
  std::vector<properties::laws::Law> laws_;
  std::vector<std::uint64_t> claims_;  ///< of laws_: asked so far
  std::size_t next_ = 0;
  std::vector<std::string> broken_;  ///< names of laws
  std::optional<ModeReport> first_broken_;
};

/// `assay verify --laws`: all of them on every case, without the reference. What it is given must outlive it.
std::unique_ptr<CaseJudge> law_judge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                                     const VerifyOptions& options, const process::Reporter& reporter);

/// One law on one case.
ModeReport law_report(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                      const properties::Case& test_case, const properties::laws::Law& law);

}  // namespace assay::run
