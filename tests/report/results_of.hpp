// Results made by hand, for tests.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.hpp"

namespace assay::report {

inline run::ModeReport mode_report(run::Mode in, Verdict verdict) {
  run::ModeReport mode;
  mode.mode = in;
  mode.verdict = verdict;
  mode.cases_run = 200;
  mode.seconds = 1.5;
  if (verdict == Verdict::pass) return mode;
  mode.summary = "what is wrong";
  mode.text = "k: what is wrong\n  in full\n";
  mode.replay = "kernel=k manifest=m.toml mode=fast";
  return mode;
}

inline constexpr run::Mode kFast = run::Mode::fast;
inline constexpr run::Mode kChecked = run::Mode::checked;
inline constexpr run::Mode kContracted = run::Mode::contracted;

inline KernelResult kernel_result(const std::string& name, std::vector<run::ModeReport> modes) {
  KernelResult kernel{name, "m.toml", "gemm_fp4", name, name + ".metal", {name + ".metal", 12}, {}};
  kernel.report.modes = std::move(modes);
  return kernel;
}

/// Of verify, in fast and checked mode.
inline Results verified(std::vector<std::string> chosen, std::vector<KernelResult> kernels,
                        Shard shard = {}) {
  Results results;
  results.run = {"0.1.0", "verify", {}, "m.toml", "00ff", std::move(chosen)};
  results.run.settings = {{"seed", 1},
                          {"cases", 200},
                          {"modes", {"fast", "checked"}},
                          {"timeout", 60.0},
                          {"device", "simulated"},
                          {"laws", false},
                          {"coverage", false},
                          {"exhaustive", nlohmann::json()}};
  results.shard = shard;
  results.seconds = 2;
  results.found = Verified{std::move(kernels)};
  return results;
}

/// One kernel a verdict, named k0, k1, ...: every verdict there is.
inline Results every_verdict() {
  std::vector<KernelResult> kernels;
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Verdict::error); ++i) {
    names.push_back("k" + std::to_string(i));
    kernels.push_back(kernel_result(
        names.back(), {mode_report(kFast, Verdict::pass), mode_report(kChecked, static_cast<Verdict>(i))}));
  }
  return verified(names, std::move(kernels));
}

}  // namespace assay::report
