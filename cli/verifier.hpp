// Verifies kernels, each mode in a process of its own, several at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/verdict.hpp"
#include "properties/case.hpp"

namespace assay::cli {

struct VerifyOptions {
  std::uint64_t cases = 500;
  std::uint64_t seed = 1;
  std::vector<Mode> modes = {Mode::fast, Mode::checked};
  double timeout_s = 60;  ///< for one case
  unsigned jobs = 2;      ///< processes at a time
  bool trace = false;  ///< show what each launch of a case is given and what it leaves; not while shrinking
};

/// What one mode said of one kernel.
struct ModeReport {
  Mode mode{};
  verify::Verdict verdict = verify::Verdict::error;
  std::string summary;  ///< one line; empty for a pass
  std::string text;     ///< the failure in full, for people; empty for a pass
  std::string replay;   ///< the argument of `assay replay`; empty for a pass
  std::uint64_t cases_run = 0;
  double seconds = 0;
};

struct KernelReport {
  const verify::KernelEntry* entry = nullptr;
  std::vector<ModeReport> modes;

  /// The mode whose verdict says most: a fault of memory or order is the cause of a wrong result.
  const ModeReport& decisive() const;
};

/// Called as the work goes on; `current` is for a progress line.
struct Progress {
  std::function<void(const std::string& current)> step;
  std::function<void(const KernelReport&)> finished;
  std::function<void(const std::string& text)> trace;  ///< what VerifyOptions::trace asks for
};

/// All kernels under all modes. `finished` is called once a kernel, in the order of `entries`.
std::vector<KernelReport> verify_kernels(const std::vector<const verify::KernelEntry*>& entries,
                                         const VerifyOptions& options, const Progress& progress = {});

/// One case in one mode, in a process of its own. Launches are traced where `trace` is there to be called.
ModeReport verify_case(const verify::KernelEntry& entry, Mode mode, const properties::Case& problem,
                       double timeout_s, const std::function<void(const std::string&)>& trace = {});

/// `kernel=... manifest=... mode=... operation=... M=... seed=...`: the argument of `assay replay`.
std::string replay_line(const verify::KernelEntry& entry, Mode mode, const properties::Case& problem);

/// 0, 1 or 2: rejected counts before not judged.
int exit_status(const std::vector<KernelReport>& reports);

}  // namespace assay::cli
