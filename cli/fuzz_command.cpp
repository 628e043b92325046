#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/fuzz/fuzz_text.hpp"
#include "harness/report/collect.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/replay_line.hpp"

namespace assay::cli {

namespace {

/// The rounds of a run, as results: of each kernel and mode the first rejection, else how many cases passed.
class Rounds {
 public:
  void add(const KernelEntry& entry, const run::ModeReport& round) {
    auto& modes = modes_[entry.name];
    const auto [known, fresh] = modes.try_emplace(round.mode, round);
    if (fresh) return;
    auto& before = known->second;
    const auto cases = before.cases_run + round.cases_run;
    const auto seconds = before.seconds + round.seconds;
    if (assay::exit_status(before.verdict) != 1 && assay::exit_status(round.verdict) == 1) before = round;
    before.cases_run = cases;
    before.seconds = seconds;
  }

  report::Results results(const std::vector<const KernelEntry*>& chosen) const {
    run::VerifyOptions options;
    std::vector<run::KernelReport> reports;
    report::Results results;
    for (const auto* entry : chosen) {
      const auto found = modes_.find(entry->name);
      if (found == modes_.end()) continue;
      reports.push_back({entry, {}});
      for (const auto& [mode, round] : found->second) {
        reports.back().modes.push_back(round);
        results.seconds += round.seconds;
      }
    }
    results.run = report::run_of(options, chosen, report::content_of(chosen, 1, options.timeout_s));
    results.found = report::verified_of(reports);
    return results;
  }

 private:
  std::map<std::string, std::map<run::Mode, run::ModeReport>> modes_;
};

/// The tensors of a finding, beside its file; a line that says so.
std::string dumped(const fuzz::KeptFinding& finding, const fuzz::FindingsDirectory& directory,
                   const std::vector<const KernelEntry*>& chosen, const fuzz::FuzzOptions& options) {
  const auto* entry = *std::find_if(chosen.begin(), chosen.end(),
                                    [&](const auto* one) { return one->name == finding.kernel; });
  const auto line = run::parse_replay_line(finding.replay);
  const auto file = directory.file_of(finding).replace_extension(".safetensors");
  const auto report =
      run::verify_case(*entry, line.mode, line.test_case,
                       {.timeout_s = options.timeout_s, .device = options.device, .dump = file.string()});
  return report.verdict == Verdict::error ? fmt::format("dump    {}\n", report.summary)
                                          : fmt::format("dump    {}\n", file.string());
}

}  // namespace

int run_command(const FuzzArguments& arguments) {
  report::check(arguments.outputs, "verify");  // before the work
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  fuzz::FindingsDirectory directory(arguments.findings, arguments.seed);
  ProgressLine line(arguments.talk);
  line.note(fuzz::start_text(directory));
  Rounds rounds;
  fuzz::FuzzListener listener;
  listener.step = [&](const fuzz::FuzzStatus& now, const std::string& current) {
    if (line.due()) line.show(fuzz::progress_text(now, current));
  };
  listener.found = [&](const auto& one) {
    line.print(fuzz::finding_text("new", one, directory));
    if (arguments.dump) line.print(dumped(one, directory, chosen, arguments.options));
  };
  listener.found_again = [&](const auto& one) {
    line.print(fuzz::finding_text("again, in the text as it is now", one, directory));
  };
  listener.given_up = [&](const KernelEntry& entry, run::Mode mode, const std::string& why) {
    line.print(fuzz::left_out_text(entry, mode, why));
  };
  listener.round_ended = [&](const KernelEntry& entry, std::uint64_t round, const run::ModeReport& report) {
    rounds.add(entry, report);
    line.detail(fuzz::round_text(entry, round, report));
  };
  const auto end = fuzz::fuzz(chosen, directory, arguments.options, listener);
  if (arguments.outputs.any()) report::write(arguments.outputs, rounds.results(chosen));
  line.print(fuzz::end_text(end));
  return fuzz::exit_status(end);
}

}  // namespace assay::cli
