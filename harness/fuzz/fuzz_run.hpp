// Fuzzing without end: every kernel in every mode, round after round, each with a fresh seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/fuzz/findings_directory.hpp"
#include "harness/run/verifier.hpp"

namespace assay::fuzz {

struct FuzzOptions {
  std::optional<double> time_s;  ///< ends by itself after so long
  std::optional<std::uint64_t>
      rounds;  ///< ends by itself when the directory has so many, of every kernel and mode
  double timeout_s = run::VerifyOptions{}.timeout_s;  ///< for one case
  unsigned jobs = 2;                                  ///< processes at a time
  /// A registered device (device::make_device): every case runs on it, and those that are shrunk do. What the
  /// directory holds does not say which it was: each device has a directory of its own.
  std::string device = std::string(device::kDefaultDevice);
};

/// What a run has come to so far.
struct FuzzStatus {
  std::uint64_t cases = 0;  ///< of this run
  double seconds = 0;
  std::size_t kernels = 0, modes = 0;
  std::uint64_t round = 0;      ///< the furthest that is begun
  std::size_t fresh = 0;        ///< findings of this run that no earlier one had
  std::size_t findings = 0;     ///< in the directory, of kernels as they are now
  std::size_t outdated = 0;     ///< in the directory, of earlier texts of kernels, and not met again
  bool not_all_judged = false;  ///< a kernel was given up in some mode, or there is none
  double share = 0;             ///< of the time or the rounds that were asked for; 0: there is no end
};

/// Called as the work goes on, once what they tell of is on disk.
struct FuzzListener {
  std::function<void(const FuzzStatus&, const std::string& current)> step = {};
  std::function<void(const KeptFinding&)> found = {};  ///< one that is new
  /// One that an earlier text of the kernel had, and the text as it is now has too.
  std::function<void(const KeptFinding&)> found_again = {};
  /// A kernel that cannot be run in this mode, and why: it is left out from here on.
  std::function<void(const KernelEntry&, run::Mode, const std::string& why)> given_up = {};
  /// A process that ran cases of a round has ended, with or without a finding.
  std::function<void(const KernelEntry&, std::uint64_t round, const run::ModeReport&)> round_ended = {};
};

/// Runs until the time is up or it is asked to end (process/interrupt.hpp), then says what it came to. What
/// was run is not run again by the next run in that directory, and what had not ended is. Throws
/// std::runtime_error where the directory takes no file.
FuzzStatus fuzz(const std::vector<const KernelEntry*>& entries, FindingsDirectory& directory,
                const FuzzOptions& options, const FuzzListener& listener = {});

/// 1 where the directory holds findings of kernels as they are now, 2 where nothing was judged, else 0.
int exit_status(const FuzzStatus& status);

}  // namespace assay::fuzz
