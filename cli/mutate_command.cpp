#include <fmt/format.h>

#include <chrono>
#include <map>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/mutate/mutation_campaign.hpp"
#include "harness/mutate/mutation_report.hpp"
#include "harness/report/collect.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/report/summary.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

int run_command(const MutateArguments& arguments) {
  if (arguments.report) assay::check_replaceable(*arguments.report);  // before hours of work
  report::check(arguments.results.outputs);
  const auto shard = report::choose_shard(arguments.results.shard);
  auto options = arguments.options;
  options.shard = shard.shard;
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  if (arguments.equivalents && !fs::is_regular_file(*arguments.equivalents)) {
    throw std::runtime_error(fmt::format("--equivalents: {} is no file", *arguments.equivalents));
  }
  const fs::path manifest =
      arguments.kernels.manifest ? fs::path(*arguments.kernels.manifest) : run::default_manifest();
  auto equivalents = mutate::Equivalents::read(
      arguments.equivalents ? fs::path(*arguments.equivalents) : manifest.parent_path() / "equivalent.toml");
  report::Results results;
  results.shard = shard.shard;
  results.run = report::run_of(
      options, chosen, arguments.results.outputs.json ? report::content_of(chosen, options.jobs, 60) : "");
  print("{}", shard.note());
  std::size_t width = 6;
  for (const auto* entry : chosen) width = column_width(width, entry->name);
  print("{}", mutate::mutation_header(width));
  std::map<std::size_t, mutate::MutationReport> finished;  // in the manifest's order
  std::map<std::size_t, std::string> progress;
  ProgressLine line;
  const auto start = std::chrono::steady_clock::now();
  const auto step = [&](std::size_t which, std::size_t done, std::size_t all) {
    progress[which] = fmt::format("{} {}/{}", chosen[which]->name, done, all);
    std::string text;
    for (const auto& [one, words] : progress) text += (text.empty() ? "" : ", ") + words;
    line.show(text);
  };
  const auto take = [&](std::size_t which, mutate::KernelMutants mutants) {
    progress.erase(which);
    const auto& report = finished.try_emplace(which, std::move(mutants), equivalents).first->second;
    line.clear();
    print("{}", mutate::mutation_row(report.name(), report.totals(), report.mutants().seconds, width));
    if (!report.mutants().error.empty()) print("  {}: {}\n", report.name(), report.mutants().error);
    flush();
    if (arguments.report) mutate::write_report(*arguments.report, options, finished);
  };
  mutate::mutate_kernels(chosen, options, equivalents, step, take);
  results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::vector<mutate::MutationReport> reports;
  for (auto& [which, report] : finished) reports.push_back(std::move(report));
  // Only a run over everything has met every mutant that an entry may be for.
  const bool everything = arguments.kernels.names.empty() && options.sample == 0;
  const auto mutated =
      report::mutated_of(reports, everything ? equivalents.stale() : std::vector<std::string>());
  results.found = mutated;
  report::write(arguments.results.outputs, results);
  print("{}{}", report::summary(results), mutate::rate_text(reports, results.seconds));
  if (shard.shard.whole()) {
    for (const auto& one : mutated.stale) complain(one);
  }
  return report::exit_status(results);
}

}  // namespace assay::cli
