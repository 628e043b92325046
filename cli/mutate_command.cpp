#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/report/run_results.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/report/summary.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/pace.hpp"
#include "harness/verify/printable.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::cli {
namespace {

// "3 of 29 kernels done, 412 mutants judged, 14 a second, about 20 min left: a 12/40, b 3/96".
std::string progress_text(const mutate::CampaignStanding& now, double seconds) {
  return fmt::format("{} of {} kernels done, {} judged, {}{}{}{}", grouped(now.kernels), grouped(now.of),
                     counted(now.judged, "mutant"),
                     rate_text(static_cast<double>(now.judged - now.resumed), seconds),
                     left_text(now.share, seconds), now.current.empty() ? "" : ": ", now.current);
}

// How long the mutants of a kernel took.
std::string detail_of(const mutate::MutationReport& report) {
  const auto& mutants = report.mutants();
  const std::size_t judged = mutants.results.size() - mutants.resumed;
  return fmt::format("{}: {} judged now, {} by earlier runs; {:.1f} s, {}; {:.1f} s of processor time\n",
                     report.name(), counted(judged, "mutant"), grouped(mutants.resumed), mutants.seconds,
                     rate_text(static_cast<double>(judged), mutants.seconds), mutants.core_seconds);
}

}  // namespace

int run_command(const MutateArguments& arguments) {
  const auto& kernels = arguments.kernels;
  const auto& named = arguments.report;
  // A page goes into a directory; a file by such a name is what is known of each mutant, as the run goes on.
  const bool is_file = named && named->ends_with(".json");
  const auto file = is_file ? named : std::nullopt;
  auto outputs = arguments.results.outputs;
  if (!is_file) outputs.page = named;
  if (file) assay::check_replaceable(*file);  // before hours of work
  report::check(outputs, "mutate");
  const auto shard = report::choose_shard(arguments.results.shard);
  const auto entries = run::load_manifest(kernels.manifest, kernels.names);
  report::MutationPlan plan{run::choose(entries, kernels.names), kernels.names.empty(), arguments.options,
                            mutate::Equivalents::choose(arguments.equivalents, kernels.manifest), file};
  plan.options.shard = shard.shard;
  ProgressLine line(arguments.talk);
  line.note(shard.note());
  std::size_t width = 6;
  for (const auto* entry : plan.kernels) width = column_width(width, entry->name);
  line.note(mutate::mutation_header(width));
  const Stopwatch clock;
  mutate::CampaignStanding standing;
  standing.of = plan.kernels.size();
  mutate::CampaignListener listener;
  listener.step = [&](const mutate::CampaignStanding& now) {
    standing = now;
    if (line.due()) line.show(progress_text(now, clock.seconds()));
  };
  listener.finished = [&](const mutate::MutationReport& report) {
    const auto& mutants = report.mutants();
    const auto row =
        mutate::mutation_row(report.name(), report.totals(), mutants.seconds, width, mutants.error);
    line.note(row);
    line.detail(detail_of(report));
  };
  return tell_if_interrupted(
      line,
      [&] {
        const auto [results, rate] =
            report::judge_mutants(std::move(plan), outputs.json || outputs.page, listener);
        report::write(outputs, results);
        if (arguments.talk == Talk::quiet) line.print(report::rows(results, report::Rows::few));
        line.print(report::summary(results));
        line.note(rate);
        line.print(report::page_line(outputs, "mutate"));
        if (shard.shard.whole()) {
          for (const auto& one : std::get<report::Mutated>(results.found).stale) complain(one);
        }
        return report::exit_status(results);
      },
      [&] {
        return fmt::format(
            "{} of {} kernels are done, {} of the {} mutants of the kernels begun are judged and kept; run "
            "the same command again to go on from there",
            grouped(standing.kernels), grouped(standing.of), grouped(standing.judged),
            grouped(standing.known));
      });
}

}  // namespace assay::cli
