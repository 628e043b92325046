#include "harness/report/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/mutate/source_lines.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/printable.hpp"

namespace assay::report {
namespace {

// How often the cases of the first mode that ran to its end reached each thing; all modes draw the same
// cases.
std::string coverage_text(const KernelResult& kernel) {
  for (const auto& mode : kernel.report.modes) {
    const auto& reached = mode.coverage.reached();
    if (reached.empty()) continue;
    auto text = fmt::format("\n{}: reached by {} cases\n", kernel.name, mode.cases_run);
    for (const auto& [tag, count] : reached) text += fmt::format("{:>12}  {}\n", count, tag);
    return text + mode.branches;
  }
  return {};
}

std::string text_of(const Verified& verified, const Results& results) {
  std::string text;
  for (const auto& kernel : verified.kernels) {
    const auto& decisive = kernel.report.decisive();
    if (decisive.verdict == Verdict::pass) continue;
    text += "\n" + (decisive.text.empty() ? decisive.summary + "\n" : decisive.text);
  }
  const auto& settings = results.run.settings;
  if (settings.at("coverage").get<bool>() || settings.at("laws").get<bool>()) {
    for (const auto& kernel : verified.kernels) text += coverage_text(kernel);
  }
  std::string schedules;
  for (const auto& kernel : verified.kernels) {
    for (const auto& mode : kernel.report.modes) schedules += mode.schedules;
  }
  if (!schedules.empty()) text += "\n" + schedules;
  const auto [good, of] = passed(verified);
  return text + fmt::format("\n{} of {} kernels pass ({}{})\n", good, of, settings_text(settings),
                            results.shard.whole() ? "" : ", shard " + to_text(results.shard));
}

std::string survivors(const MutantsResult& kernel) {
  std::string text;
  for (const auto& mutant : kernel.mutants) {
    if (mutant.at("status") != "survived") continue;
    const mutate::ChangedLines changed{mutant.at("file").get<std::string>(),
                                       mutant.at("line").get<std::uint32_t>(),
                                       mutant.at("before").get<std::vector<std::string>>(),
                                       mutant.at("after").get<std::vector<std::string>>()};
    text += fmt::format("{}: survived ({}) {}\n", kernel.name, mutant.at("kind").get<std::string>(),
                        changed.diff());
  }
  return text;
}

// Of the kernels' names.
std::size_t width_of(const Mutated& mutated) {
  std::size_t width = 6;
  for (const auto& kernel : mutated.kernels) width = column_width(width, kernel.name);
  return width;
}

std::string text_of(const Mutated& mutated, const Results& results) {
  mutate::MutationTotals totals;
  std::string text;
  for (const auto& kernel : mutated.kernels) {
    totals.add(kernel.totals());
    text += survivors(kernel);
  }
  const auto all = mutated.kernels.size() > 1
                       ? mutate::mutation_row("all", totals, results.seconds, width_of(mutated))
                       : "";
  return all + "\n" + text + mutate::criteria_table(totals) + "\n";
}

std::string text_of(const Golden& golden, const Results&) {
  std::string text;
  for (const auto* lines : {&golden.differing, &golden.unreadable}) {
    for (const auto& line : *lines) text += line + "\n";
  }
  return text + fmt::format("{} files\n", golden.files.size());
}

}  // namespace

std::string settings_text(const nlohmann::json& settings) {
  if (const auto shapes = settings.find("shapes"); shapes != settings.end() && !shapes->empty())
    return fmt::format("at {}", fmt::join(shapes->get<std::vector<std::string>>(), "; "));
  if (const auto files = settings.value("golden", std::uint64_t{0}); files > 0)
    return fmt::format("a set of {} golden files", grouped(files));
  if (settings.value("schedules", false)) return "schedules of small problems";
  const auto& words = settings.at("exhaustive");
  if (words.is_null()) {
    return fmt::format("{} cases a mode, seed {}", settings.at("cases").get<std::uint64_t>(),
                       settings.at("seed").get<std::uint64_t>());
  }
  const auto first = words.at("first").get<std::uint64_t>(), count = words.at("count").get<std::uint64_t>();
  const auto end = properties::WordRange{first, count}.end();
  if (first == 0) return fmt::format("exhaustive, {} packed words", end);
  return fmt::format("exhaustive, packed words {} to {}", first, end - 1);
}

std::string summary(const Results& results) {
  return std::visit([&](const auto& found) { return text_of(found, results); }, results.found);
}

std::string rows(const Results& results) {
  const auto* mutated = std::get_if<Mutated>(&results.found);
  if (mutated == nullptr) return {};
  const auto width = width_of(*mutated);
  auto text = mutate::mutation_header(width);
  for (const auto& kernel : mutated->kernels) {
    text += mutate::mutation_row(kernel.name, kernel.totals(), kernel.seconds, width, kernel.error);
  }
  return text;
}

}  // namespace assay::report
