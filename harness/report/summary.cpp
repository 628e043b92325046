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
    auto text = fmt::format("\n{}: reached by {}\n", kernel.name, counted(mode.cases_run, "case"));
    for (const auto& [tag, count] : reached) text += fmt::format("{:>12}  {}\n", count, tag);
    return text + mode.branches;
  }
  return {};
}

StyledText text_of(const Verified& verified, const Results& results) {
  StyledText styled = failures(verified);
  std::string text;
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
  return styled.add(text + "\n")
      .add(fmt::format("{} of {} kernels pass ({}{})", grouped(good), grouped(of), settings_text(settings),
                       results.shard.whole() ? "" : ", shard " + to_text(results.shard)),
           style_of_status(exit_status(results)))
      .add("\n");
}

// The lines of a diff, the old red and the new green.
void add_diff(StyledText& text, std::string_view diff) {
  while (!diff.empty()) {
    const auto end = std::min(diff.find('\n'), diff.size() - 1) + 1;
    const auto first = diff.find_first_not_of(' ');
    const char sign = first == diff.npos ? ' ' : diff[first];
    text.add(diff.substr(0, end), sign == '-' ? Style::bad : sign == '+' ? Style::good : Style::plain);
    diff.remove_prefix(end);
  }
}

StyledText survivors(const MutantsResult& kernel) {
  StyledText text;
  for (const auto& mutant : kernel.mutants) {
    if (mutant.at("status") != "survived") continue;
    const mutate::ChangedLines changed{mutant.at("file").get<std::string>(),
                                       mutant.at("line").get<std::uint32_t>(),
                                       mutant.at("before").get<std::vector<std::string>>(),
                                       mutant.at("after").get<std::vector<std::string>>()};
    add_diff(text, fmt::format("{}: survived ({}) {}\n", kernel.name, mutant.at("kind").get<std::string>(),
                               changed.diff()));
  }
  return text;
}

// Of the kernels' names.
std::size_t width_of(const Mutated& mutated) {
  std::size_t width = 6;
  for (const auto& kernel : mutated.kernels) width = column_width(width, kernel.name);
  return width;
}

StyledText text_of(const Mutated& mutated, const Results& results) {
  mutate::MutationTotals totals;
  StyledText survived;
  for (const auto& kernel : mutated.kernels) {
    totals.add(kernel.totals());
    survived.add(survivors(kernel));
  }
  StyledText text;
  if (mutated.kernels.size() > 1)
    text.add(mutate::mutation_row("all", totals, results.seconds, width_of(mutated)));
  return text.add("\n").add(survived).add(mutate::criteria_table(totals) + "\n");
}

StyledText text_of(const Golden& golden, const Results&) {
  StyledText text;
  for (const auto* lines : {&golden.differing, &golden.unreadable}) {
    for (const auto& line : *lines) text.add(line + "\n");
  }
  return text.add(counted(golden.files.size(), "file") + "\n");
}

}  // namespace

std::string settings_text(const nlohmann::json& settings) {
  if (const auto shapes = settings.find("shapes"); shapes != settings.end() && !shapes->empty())
    return fmt::format("at {}", fmt::join(shapes->get<std::vector<std::string>>(), "; "));
  if (const auto files = settings.value("golden", std::uint64_t{0}); files > 0)
    return fmt::format("a set of {}", counted(files, "golden file"));
  if (settings.value("schedules", false)) return "schedules of small problems";
  const auto& words = settings.at("exhaustive");
  if (words.is_null()) {
    const bool alone = settings.value("laws", false);  // laws are tried on drawn cases
    return fmt::format("{} a mode{} seed {}", counted(settings.at("cases").get<std::uint64_t>(), "drawn case"),
                       alone ? "," : ", and planned ones;", settings.at("seed").get<std::uint64_t>());
  }
  const auto first = words.at("first").get<std::uint64_t>(), count = words.at("count").get<std::uint64_t>();
  const auto end = properties::WordRange{first, count}.end();
  if (first == 0) return fmt::format("exhaustive, {}", counted(end, "packed word"));
  return fmt::format("exhaustive, packed words {} to {}", grouped(first), grouped(end - 1));
}

StyledText failures(const Verified& verified) {
  StyledText text;
  for (const auto& kernel : verified.kernels) {
    const auto& decisive = kernel.report.decisive();
    if (decisive.verdict == Verdict::pass) continue;
    text.add("\n").add_headline(decisive.text.empty() ? decisive.summary + "\n" : decisive.text,
                                style_of(decisive.verdict));
  }
  return text;
}

StyledText summary(const Results& results) {
  return std::visit([&](const auto& found) { return text_of(found, results); }, results.found);
}

std::string rows(const Results& results, Rows which) {
  const auto* mutated = std::get_if<Mutated>(&results.found);
  if (mutated == nullptr) return {};
  const auto width = width_of(*mutated);
  auto text = mutate::mutation_header(width);
  for (const auto& kernel : mutated->kernels) {
    // summary() has a row of the score of several.
    if (which == Rows::few && mutated->kernels.size() > 1 && kernel.error.empty()) continue;
    text += mutate::mutation_row(kernel.name, kernel.totals(), kernel.seconds, width, kernel.error);
  }
  return text;
}

}  // namespace assay::report
