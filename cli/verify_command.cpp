#include <fmt/format.h>

#include <chrono>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/report/summary.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const VerifyArguments& arguments) {
  const auto& outputs = arguments.results.outputs;
  report::check(outputs);  // before the work
  const auto shard = report::choose_shard(arguments.results.shard);
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  auto request = arguments.request;
  request.named = !arguments.kernels.names.empty();
  request.options.shard = shard.shard;
  const auto [chosen, options, left_out] = run::plan(request, run::choose(entries, arguments.kernels.names));
  for (const auto& line : left_out) print("{}\n", line);
  print("{}", shard.note());
  report::Results results;
  results.shard = shard.shard;
  results.run = report::run_of(
      options, chosen, outputs.json ? report::content_of(chosen, options.jobs, options.timeout_s) : "");
  Table table(chosen, options.modes);
  table.header();
  const auto start = std::chrono::steady_clock::now();
  const auto reports = run::verify_kernels(chosen, options,
                                           {[&](const std::string& now) { table.progress(now); },
                                            [&](const run::KernelReport& report) { table.row(report); },
                                            [&](const std::string& text) { table.print(text); }});
  results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  results.found = report::verified_of(reports);
  report::write(outputs, results);
  print("{}{}", report::summary(results), report::annotations_here(results));
  return report::exit_status(results);
}

}  // namespace assay::cli
