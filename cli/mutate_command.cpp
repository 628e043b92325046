#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/mutate/mutation_campaign.hpp"
#include "harness/mutate/mutation_report.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

void write_report(const std::string& path, const MutateArguments& arguments,
                  const std::map<std::size_t, mutate::MutationReport>& reports) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& [which, report] : reports) kernels.push_back(report.json());
  const nlohmann::json all = {{"format", "assay mutation report 1"}, {"cases", arguments.options.cases},
                              {"seed", arguments.options.seed},      {"sample", arguments.options.sample},
                              {"criteria", mutate::kCriteria},       {"kernels", kernels}};
  const std::string text = all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  assay::replace_file(path, std::array{std::string_view(text)});
}

void print_rate(const std::vector<mutate::MutationReport>& reports, double seconds) {
  double core_seconds = 0;
  std::size_t judged = 0, resumed = 0;
  for (const auto& report : reports) {
    core_seconds += report.mutants().core_seconds;
    judged += report.mutants().results.size() - report.mutants().resumed;
    resumed += report.mutants().resumed;
  }
  if (resumed > 0) print("{} mutants were judged by an earlier run (--fresh judges them again)\n", resumed);
  if (judged == 0) return;
  print("{} mutants judged in {:.0f} s: {:.0f} a minute; {:.0f} s of processor time\n", judged, seconds,
        60.0 * static_cast<double>(judged) / seconds, core_seconds);
}

}  // namespace

int run_command(const MutateArguments& arguments) {
  if (arguments.report) assay::check_replaceable(*arguments.report);  // before hours of work
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  if (arguments.equivalents && !fs::is_regular_file(*arguments.equivalents)) {
    throw std::runtime_error(fmt::format("--equivalents: {} is no file", *arguments.equivalents));
  }
  const fs::path manifest =
      arguments.kernels.manifest ? fs::path(*arguments.kernels.manifest) : run::default_manifest();
  auto equivalents = mutate::Equivalents::read(
      arguments.equivalents ? fs::path(*arguments.equivalents) : manifest.parent_path() / "equivalent.toml");
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
    if (arguments.report) write_report(*arguments.report, arguments, finished);
  };
  mutate::mutate_kernels(chosen, arguments.options, equivalents, step, take);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::vector<mutate::MutationReport> reports;
  mutate::MutationTotals totals;
  for (auto& [which, report] : finished) {
    totals.add(report.totals());
    reports.push_back(std::move(report));
  }
  if (chosen.size() > 1) print("{}", mutate::mutation_row("all", totals, seconds, width));
  print("\n");
  for (const auto& report : reports) print("{}", report.survivors());
  print("{}\n", mutate::criteria_table(totals));
  print_rate(reports, seconds);

  bool broken = false;
  for (const auto& report : reports) broken |= !report.mutants().error.empty();
  std::vector<std::string> stale;
  // Only a run over everything has met every mutant that an entry may be for.
  if (arguments.kernels.names.empty() && arguments.options.sample == 0 && !broken)
    stale = equivalents.stale();
  for (const auto& one : stale) complain(one);
  if (totals.survived > 0 || !stale.empty()) return 1;
  return broken || totals.compiled() == 0 ? 2 : 0;
}

}  // namespace assay::cli
