#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/report/run_results.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/report/summary.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/printable.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::cli {

int run_command(const MutateArguments& arguments) {
  const auto& [kernels, named, equivalents, options, asked] = arguments;
  // A page goes into a directory; a file by such a name is what is known of each mutant, as the run goes on.
  const bool is_file = named && named->ends_with(".json");
  const auto file = is_file ? named : std::nullopt;
  auto outputs = asked.outputs;
  if (!is_file) outputs.page = named;
  if (file) assay::check_replaceable(*file);  // before hours of work
  report::check(outputs, "mutate");
  const auto shard = report::choose_shard(asked.shard);
  const auto entries = run::load_manifest(kernels.manifest, kernels.names);
  report::MutationPlan plan{run::choose(entries, kernels.names), kernels.names.empty(), options,
                            mutate::Equivalents::choose(equivalents, kernels.manifest), file};
  plan.options.shard = shard.shard;
  print("{}", shard.note());
  std::size_t width = 6;
  for (const auto* entry : plan.kernels) width = column_width(width, entry->name);
  ProgressLine line;
  line.print(mutate::mutation_header(width));
  const auto finished = [&](const mutate::MutationReport& report) {
    const auto& mutants = report.mutants();
    line.print(mutate::mutation_row(report.name(), report.totals(), mutants.seconds, width, mutants.error));
  };
  const auto [results, rate] =
      report::judge_mutants(std::move(plan), outputs.json || outputs.page,
                            {[&](const std::string& now) { line.show(now); }, finished});
  report::write(outputs, results);
  print("{}{}{}", report::summary(results), rate, report::page_line(outputs, "mutate"));
  if (shard.shard.whole()) {
    for (const auto& one : std::get<report::Mutated>(results.found).stale) complain(one);
  }
  return report::exit_status(results);
}

}  // namespace assay::cli
