#include <map>
#include <string>

#include "cli/case_again.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/fuzz/fuzz_text.hpp"
#include "harness/run/manifests.hpp"

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
    std::vector<run::KernelReport> reports;
    for (const auto* entry : chosen) {
      const auto found = modes_.find(entry->name);
      if (found == modes_.end()) continue;
      reports.push_back({entry, {}});
      for (const auto& [mode, round] : found->second) reports.back().modes.push_back(round);
    }
    return results_of(reports);
  }

 private:
  std::map<std::string, std::map<run::Mode, run::ModeReport>> modes_;
};

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
    if (!arguments.dump) return;
    const auto file = directory.file_of(one).replace_extension(".safetensors");
    line.print(dump_again(chosen, one.replay,
                          {.timeout_s = arguments.options.timeout_s,
                           .device = arguments.options.device,
                           .dump = file.string()}));
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
