// Kernels whose threadgroups can meet, under every order of their steps rather than one that is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/planned_schedule.hpp"
#include "harness/run/finding.hpp"

namespace assay::run {

/// The small problems of which all schedules are explored: two to four threadgroups on a few tiles, cut in
/// two to four where sums are cut; the smallest of everything else. Compiles nothing.
std::vector<properties::Case> meeting_cases(const KernelEntry& entry);

/// Problems with more threadgroups, up to as many as the simulator has room for: each size and choice that
/// makes threadgroups by itself, the smallest of everything else, and all that share out a sum.
std::vector<properties::Case> crowded_cases(const KernelEntry& entry);

/// In checked mode, for kernels with atomics or fences (all kernels where schedules are what is asked for):
/// - some of the cases that are drawn, with threadgroups that begin one at a time, in either order, each
///   running as far as it can before the next begins: who waits for another threadgroup shows; and in lock
///   step, with one threadgroup ahead of the others, and with one behind;
/// - crowded_cases(), so too, and each two threadgroups one right after the other;
/// - the problems of meeting_cases(), so too, and under all schedules (harness/simulator/exploration.hpp).
/// In a default run at most kMostSchedules of each problem, and no more of them where they have kMostSteps
/// together: partial sums that are atomics are thousands of steps.
class ScheduleRun {
 public:
  static constexpr std::uint64_t kMostSchedules = 1000, kMostSteps = 1 << 17;

  /// What it is given must outlive it.
  ScheduleRun(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
              const VerifyOptions& options, const process::Reporter& reporter);

  /// Sends {"type": "case", "index", "line"} before each launch. The first failure, with the shortest
  /// beginning of its schedule that fails.
  std::optional<Finding> run(std::uint64_t cases_run);

  /// How many were explored, and what was not: a line, and one a problem where schedules are what is asked
  /// for. "" where none were.
  std::string text() const { return text_; }
  std::uint64_t schedules() const { return schedules_; }

 private:
  struct Explored {
    properties::Case problem;
    std::uint64_t schedules = 0;
    bool whole = false;
    std::string why = {};  ///< it is not
  };

  bool asked() const;
  std::optional<Finding> in_plain_orders(const properties::Case& test_case);
  std::optional<Finding> explore(const properties::Case& test_case);
  Finding rejected(const properties::Case& test_case, const properties::TrialResult& result) const;
  Finding rejected_early(const properties::Case& test_case, std::vector<device::Decision> decisions,
                         const properties::TrialResult& result);
  properties::TrialResult run(const properties::Case& test_case);
  void announce(const properties::Case& test_case) const;
  bool late() const;
  std::string describe() const;

  const KernelUnderTest& loaded_;
  const KernelEntry& entry_;
  Mode mode_;
  const VerifyOptions& options_;
  const process::Reporter& reporter_;
  std::uint64_t index_ = 0;
  std::uint64_t ordered_ = 0;  ///< cases that were run in plain orders
  double began_s_ = 0;
  std::uint64_t schedules_ = 0;
  std::vector<Explored> explored_;
  std::string text_;
};

}  // namespace assay::run
