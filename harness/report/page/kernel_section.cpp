#include "harness/report/page/kernel_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/page/claim_bars.hpp"
#include "harness/report/page/failure_section.hpp"
#include "harness/report/page/shares_figure.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

using run::ModeReport;

std::string pointer_of(std::size_t kernel, std::size_t mode) {
  return fmt::format("/kernels/{}/modes/{}", kernel, mode);
}

// Index of the report that decides.
std::size_t decisive_mode(const KernelResult& kernel) {
  return static_cast<std::size_t>(&kernel.report.decisive() - kernel.report.modes.data());
}

Html modes_table(const KernelResult& kernel, std::size_t index) {
  double most = 0;
  for (const auto& mode : kernel.report.modes) most = std::max(most, mode.seconds);
  const auto decisive = decisive_mode(kernel);
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < kernel.report.modes.size(); ++i) {
    const ModeReport& mode = kernel.report.modes[i];
    const auto at = pointer_of(index, i);
    Html remark = mode.summary;
    const ModeReport& first = kernel.report.modes[decisive];
    if (mode.same_as_strict) {
      remark = "the same code as fast mode: not run again";
    } else if (i != decisive && !mode.summary.empty() && mode.summary == first.summary) {
      remark = fmt::format("as in {} mode", run::name_of(first.mode));
    }
    rows.push_back({run::name_of(mode.mode), badge(mode.verdict), figure_of(mode.cases_run, at + "/cases"),
                    seconds_of(mode.seconds, at + "/seconds"), meter(most > 0 ? mode.seconds / most : 0),
                    remark});
  }
  return scrolling("Modes of " + kernel.name,
                   table("Verdicts and times by mode",
                         {{"Mode"}, {"Verdict"}, {"Cases", true}, {"Time", true}, {""}, {"Remark"}}, rows));
}

// Other modes that fail with something else than the decisive one.
Html other_failures(const KernelResult& kernel, std::size_t index, Ids& ids) {
  Html all;
  const auto decisive = decisive_mode(kernel);
  std::vector<std::string> told = {kernel.report.modes[decisive].summary};
  for (std::size_t i = 0; i < kernel.report.modes.size(); ++i) {
    const ModeReport& mode = kernel.report.modes[i];
    if (mode.verdict == Verdict::pass || i == decisive) continue;
    if (std::find(told.begin(), told.end(), mode.summary) != told.end()) continue;
    told.push_back(mode.summary);
    all += tag(
        "details", {{"class", "fold"}},
        tag("summary", fmt::format("In {} mode: {}", run::name_of(mode.mode), assay::name_of(mode.verdict))) +
            failure_section(mode, pointer_of(index, i), ids));
  }
  return all;
}

Html errors_of(const KernelResult& kernel, std::size_t index, Ids& ids) {
  const auto which = mode_with_worst_error(kernel);
  if (!which) return {};
  const ModeReport& mode = kernel.report.modes[*which];
  return tag("h4",
             fmt::format("How near right results come to their bounds ({} mode)", run::name_of(mode.mode))) +
         shares_figure(mode.errors, pointer_of(index, *which) + "/errors", ids);
}

Html claims_of(const KernelResult& kernel, std::size_t index) {
  for (std::size_t i = 0; i < kernel.report.modes.size(); ++i) {
    const auto& claims = kernel.report.modes[i].claims;
    if (claims.empty()) continue;
    return tag("h4", "What it claims, and what was counted") +
           scrolling("Claims of " + kernel.name, claim_table(claims, pointer_of(index, i) + "/claims"));
  }
  return {};
}

// By the first word of what was reached: "code 3 at nibble 1" is a code.
Html coverage_of(const KernelResult& kernel, std::size_t index) {
  for (std::size_t i = 0; i < kernel.report.modes.size(); ++i) {
    const ModeReport& mode = kernel.report.modes[i];
    const auto& reached = mode.coverage.reached();
    if (reached.empty()) continue;
    Html items;
    for (const auto& [words, count] : reached) {
      std::string key;  // of a JSON pointer
      for (const char c : words) key += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      items += tag("li", Html(words) + " " +
                             figure_of(count, fmt::format("{}/coverage/{}", pointer_of(index, i), key)));
    }
    Html all = tag(
        "details", {{"class", "fold print"}},
        tag("summary", fmt::format("What its cases reached: {}, and how many cases reached each ({} mode)",
                                   counted(reached.size(), "thing", "things"), run::name_of(mode.mode))) +
            tag("ul", {{"class", "tags"}}, items));
    if (!mode.branches.empty())
      all +=
          tag("details", {{"class", "fold"}},
              tag("summary", "Branches of its text") +
                  tag("pre",
                      {{"class", "text"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Branches"}},
                      mode.branches));
    return all;
  }
  return {};
}

Html schedules_of(const KernelResult& kernel) {
  Html all;
  for (const auto& mode : kernel.report.modes) {
    if (!mode.schedules.empty()) all += tag("pre", {{"class", "text"}}, mode.schedules);
  }
  return all.empty() ? all : tag("h4", "Orders of threadgroups that were explored") + all;
}

Html mutation_of(const std::optional<MutationScore>& score) {
  if (!score) return {};
  return tag("p", {"Mutants: verification rejects ", grouped(score->killed), " of ", grouped(score->faulty),
                   " small faults put into it (", tag("a", {{"href", score->file}}, "see them"), ")."});
}

}  // namespace

std::string anchor_of(std::size_t index) { return fmt::format("kernel-{}", index); }

std::optional<std::size_t> mode_with_worst_error(const KernelResult& kernel) {
  std::optional<std::size_t> worst;
  for (std::size_t i = 0; i < kernel.report.modes.size(); ++i) {
    const auto& errors = kernel.report.modes[i].errors;
    if (errors.elements == 0 || kernel.report.modes[i].same_as_strict) continue;
    if (!worst || errors.worst > kernel.report.modes[*worst].errors.worst) worst = i;
  }
  return worst;
}

Html kernel_section(const KernelResult& kernel, std::size_t index, const std::optional<MutationScore>& score,
                    Ids& ids) {
  const ModeReport& decisive = kernel.report.decisive();
  const Html heading = tag("h3", kernel.name) + badge(decisive.verdict) +
                       tag("span", {{"class", "faint small"}}, kernel.operation);
  Html body = tag(
      "p", {{"class", "small faint"}},
      {"Function ", tag("code", kernel.function), " at ", tag("code", assay::to_text(kernel.place)), "."});
  const bool passes = decisive.verdict == Verdict::pass;
  if (!passes) body += failure_section(decisive, pointer_of(index, decisive_mode(kernel)), ids);
  const bool claims_first = decisive.verdict == Verdict::claim_differs;
  if (claims_first) body += claims_of(kernel, index);
  body += other_failures(kernel, index, ids) + errors_of(kernel, index, ids);
  if (!claims_first) body += claims_of(kernel, index);
  body += tag("h4", "Modes and times") + modes_table(kernel, index) + mutation_of(score) +
          schedules_of(kernel) + coverage_of(kernel, index);
  if (passes)
    return tag("details", {{"class", "kernel print"}, {"id", anchor_of(index)}},
               tag("summary", heading) + body);
  return tag("article", {{"class", "kernel"}, {"id", anchor_of(index)}}, tag("header", heading) + body);
}

}  // namespace assay::report::page
