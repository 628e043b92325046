#include "cli/verify_command.hpp"

#include <fmt/format.h>

#include "cli/case_again.hpp"
#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/verify_so_far.hpp"
#include "harness/report/run_results.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/report/summary.hpp"
#include "harness/report/table.hpp"
#include "harness/run/case_list.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {
namespace {

// What is said behind the words of a run that was interrupted: nothing of it is in these files.
std::string unwritten(const report::Outputs& outputs) {
  return outputs.any() ? "; no report was written" : "";
}

/// Writes the tensors of the first rejection that has a case; a line that says so.
std::string dumped(const VerifyArguments& arguments, const report::Results& results, const run::Plan& plan) {
  if (arguments.dump.empty()) return "";
  for (const auto& kernel : std::get<report::Verified>(results.found).kernels) {
    const auto& decisive = kernel.report.decisive();
    if (assay::exit_status(decisive.verdict) != 1 || decisive.replay.empty()) continue;
    return dump_again(plan.kernels, decisive.replay,
                      {.timeout_s = arguments.request.options.timeout_s,
                       .device = arguments.request.options.device,
                       .dump = arguments.dump});
  }
  return fmt::format("dump    nothing was rejected, so {} was not written\n", arguments.dump);
}

// What other arithmetic runs is a part of it.
int list_cases(const run::Plan& plan, Talk talk) {
  ProgressLine line(talk);
  for (const auto* entry : plan.kernels) {
    for (const auto mode : plan.options.modes) {
      if (run::numerics_of(mode) == metal::Numerics::strict)
        line.print(run::case_list(*entry, mode, plan.options));
    }
  }
  return 0;
}

}  // namespace

int run_command(const VerifyArguments& arguments) { return verify_and_tell(arguments, {}); }

int verify_and_tell(const VerifyArguments& arguments, const Afterthought& afterthought) {
  const auto& outputs = arguments.results.outputs;
  report::check(outputs, "verify");  // before the work
  const auto shard = report::choose_shard(arguments.results.shard);
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  auto request = arguments.request;
  request.named = !arguments.kernels.names.empty();
  request.options.shard = shard.shard;
  const auto plan = run::plan(request, run::choose(entries, arguments.kernels.names));
  if (arguments.list_cases) return list_cases(plan, arguments.talk);
  const report::Table table(plan.kernels, plan.options.modes);
  ProgressLine line(arguments.talk);
  for (const auto& kernel : plan.left_out) line.print(kernel + "\n");
  line.note(shard.note());
  line.note(table.header());
  std::string told;
  VerifySoFar so_far(plan.kernels);
  run::Progress progress;
  progress.step = [&](const run::Standing& now) {
    so_far.at(now);
    if (line.due()) line.show(progress_text(now));
  };
  progress.finished = [&](const run::KernelReport& report) {
    so_far.announced(*report.entry);
    auto judged = report;
    if (afterthought.judge) afterthought.judge(judged);
    line.note(table.row(judged));
    if (afterthought.more) told += afterthought.more(report);
  };
  progress.trace = [&](const std::string& text) { line.print(text); };
  progress.mode_ended = [&](const KernelEntry& entry, const run::ModeReport& report, bool last) {
    so_far.add(entry, report, last);
    line.detail(step_text(entry, report));
  };
  return tell_if_interrupted(
      line,
      [&] {
        auto results = report::verify(plan, outputs.json || outputs.page, progress);
        if (afterthought.judge) {
          for (auto& kernel : std::get<report::Verified>(results.found).kernels)
            afterthought.judge(kernel.report);
        }
        report::write(outputs, results);
        auto summary = report::summary(results);
        if (arguments.talk == Talk::quiet) summary.without_blank_start();
        line.print(summary.add(told)
                       .add(report::page_line(outputs, "verify"))
                       .add(dumped(arguments, results, plan))
                       .add(report::annotations_here(results)));
        return report::exit_status(results);
      },
      [&] {
        line.print(so_far.results());
        return so_far.words() + unwritten(outputs);
      });
}

}  // namespace assay::cli
