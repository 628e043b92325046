#include "cli/case_again.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/collect.hpp"
#include "harness/run/replay_line.hpp"

namespace assay::cli {

report::Results results_of(const std::vector<run::KernelReport>& reports) {
  run::VerifyOptions options;
  std::vector<const KernelEntry*> kernels;
  report::Results results;
  for (const auto& kernel : reports) {
    kernels.push_back(kernel.entry);
    for (const auto& mode : kernel.modes) {
      results.seconds += mode.seconds;
      if (kernels.size() == 1 && &mode == &kernel.modes.front()) options.modes.clear();
      if (!options.covers(mode.mode)) options.modes.push_back(mode.mode);
    }
  }
  results.run = report::run_of(options, kernels, report::content_of(kernels, 1, options.timeout_s));
  results.found = report::verified_of(reports);
  return results;
}

std::string dump_again(const std::vector<const KernelEntry*>& kernels, const std::string& replay,
                       const run::CaseOptions& options) {
  const auto line = run::parse_replay_line(replay);
  const auto entry =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto* one) { return one->name == line.kernel; });
  if (entry == kernels.end()) return "";
  const auto report = run::verify_case(**entry, line.mode, line.test_case, options);
  return report.verdict == Verdict::error
             ? fmt::format("dump    none of {}: {}\n", line.kernel, report.summary)
             : fmt::format("dump    {}, of {}\n", options.dump, line.kernel);
}

}  // namespace assay::cli
