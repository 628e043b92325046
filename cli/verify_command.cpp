#include "cli/verify_command.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/report/run_results.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/report/summary.hpp"
#include "harness/report/table.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const VerifyArguments& arguments) { return verify_and_tell(arguments, {}); }

int verify_and_tell(const VerifyArguments& arguments,
                    const std::function<std::string(const run::KernelReport&)>& more) {
  const auto& outputs = arguments.results.outputs;
  report::check(outputs, "verify");  // before the work
  const auto shard = report::choose_shard(arguments.results.shard);
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  auto request = arguments.request;
  request.named = !arguments.kernels.names.empty();
  request.options.shard = shard.shard;
  const auto plan = run::plan(request, run::choose(entries, arguments.kernels.names));
  for (const auto& kernel : plan.left_out) print("{}\n", kernel);
  print("{}", shard.note());
  const report::Table table(plan.kernels, plan.options.modes);
  ProgressLine line;
  std::string told;
  line.print(table.header());
  const auto results = report::verify(plan, outputs.json || outputs.page,
                                      {[&](const std::string& now) { line.show(now); },
                                       [&](const run::KernelReport& report) {
                                         line.print(table.row(report));
                                         if (more) told += more(report);
                                       },
                                       [&](const std::string& text) { line.print(text); }});
  report::write(outputs, results);
  print("{}{}{}{}", report::summary(results), told, report::page_line(outputs, "verify"),
        report::annotations_here(results));
  return report::exit_status(results);
}

}  // namespace assay::cli
