#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/page/page.hpp"
#include "harness/report/summary.hpp"
#include "harness/run/mode.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

/// Kernels by what became of them: indices in the JSON report.
struct Sorted {
  std::vector<std::size_t> rejected, unjudged, passed;
};

Sorted sort(const Verified& verified) {
  Sorted sorted;
  for (std::size_t i = 0; i < verified.kernels.size(); ++i) {
    const int status = assay::exit_status(verified.kernels[i].report.decisive().verdict);
    (status == 0 ? sorted.passed : status == 1 ? sorted.rejected : sorted.unjudged).push_back(i);
  }
  return sorted;
}

std::string are(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", counted(count, "kernel", "kernels"), count == 1 ? "is " : "are ", what);
}

std::string title_of(const Sorted& sorted, std::size_t of) {
  if (of == 0) return "No kernel was run";
  if (sorted.passed.size() == of)
    return of == 1 ? "The kernel passes" : fmt::format("All {} kernels pass", grouped(of));
  if (of == 1) return sorted.rejected.empty() ? "The kernel could not be judged" : "The kernel is rejected";
  if (!sorted.rejected.empty())
    return fmt::format("{} of {} kernels {} rejected", grouped(sorted.rejected.size()), grouped(of),
                       sorted.rejected.size() == 1 ? "is" : "are");
  return fmt::format("{} of {} kernels could not be judged", grouped(sorted.unjudged.size()), grouped(of));
}

std::string headline_of(const Sorted& sorted, std::size_t of) {
  if (sorted.passed.size() == of)
    return "Every result lay inside its bound, and no fault of memory or order was seen.";
  if (sorted.rejected.size() == of)
    return fmt::format("Below is why {} rejected, with the smallest case that shows it.",
                       of == 1 ? "it is" : "each is");
  std::string text;
  if (!sorted.rejected.empty()) text += are(sorted.rejected.size(), "rejected. ");
  if (!sorted.unjudged.empty())
    text += fmt::format("{} could not be judged, and that is not a pass. ",
                        counted(sorted.unjudged.size(), "kernel", "kernels"));
  if (!sorted.passed.empty())
    text += fmt::format("{} {}.", counted(sorted.passed.size(), "kernel", "kernels"),
                        sorted.passed.size() == 1 ? "passes" : "pass");
  return text;
}

Html card(std::string_view name, const Html& value, std::string_view remark = "") {
  Html dd = value;
  if (!remark.empty()) dd += tag("span", {{"class", "small"}}, remark);
  return tag("div", {{"class", "card"}}, tag("dt", name) + tag("dd", dd));
}

Html cards_of(const Results& results, const Verified& verified, const Sorted& sorted,
              const Surroundings& around) {
  std::uint64_t cases = 0;
  double worst = -1;  // nothing has been compared
  std::string of_kernel;
  for (const auto& kernel : verified.kernels) {
    for (const auto& mode : kernel.report.modes) cases += mode.same_as_strict ? 0 : mode.cases_run;
    const auto which = mode_with_worst_error(kernel);
    if (which && kernel.report.modes[*which].errors.worst > worst) {
      worst = kernel.report.modes[*which].errors.worst;
      of_kernel = kernel.name;
    }
  }
  Html all = card("Kernels that pass",
                  fmt::format("{} of {}", grouped(sorted.passed.size()), grouped(verified.kernels.size())));
  all += card("Cases run", grouped(cases), "in all modes together");
  if (worst == 0) all += card("Worst error", "exact", "every result that was compared");
  if (worst > 0) all += card("Worst error of a pass", percent(worst), "of its bound, in " + of_kernel);
  std::size_t killed = 0, faulty = 0;
  for (const auto& [name, score] : around.scores) {
    killed += score.killed;
    faulty += score.faulty;
  }
  if (faulty > 0)
    all += card("Mutants rejected", fmt::format("{} of {}", grouped(killed), grouped(faulty)),
                "small faults put into the texts");
  all += card("Time", seconds_of(results.seconds, "/seconds"), "by the clock");
  return tag("dl", {{"class", "cards"}}, all);
}

Html verdict_bar(const Verified& verified, Ids& ids) {
  std::map<Verdict, std::size_t> counts;
  for (const auto& kernel : verified.kernels) ++counts[kernel.report.decisive().verdict];
  constexpr double kBarWidth = 720;
  const auto of = static_cast<double>(std::max<std::size_t>(1, verified.kernels.size()));
  Html bar, items;
  double x = 0;
  std::string about = "Kernels by verdict.";
  for (const auto& [verdict, count] : counts) {
    const double width = kBarWidth * static_cast<double>(count) / of;
    const auto name = class_of(verdict);
    bar += rectangle(x, 0, std::max(1.0, width - 2), 22,
                     name == "pass"       ? "bar-pass"
                     : name == "rejected" ? "bar-bad"
                                          : "bar-unsure");
    x += width;
    about += fmt::format(" {}: {}.", assay::name_of(verdict), count);
    items += tag("li", badge(verdict) + fmt::format(" {}", grouped(count)));
  }
  return tag("figure", {{"class", "verdicts"}},
             drawing(kBarWidth, 22, "Kernels by verdict", about, bar, ids, true) +
                 tag("ul", {{"class", "legend"}}, items));
}

Html reasons_of(const Verified& verified, const std::vector<std::size_t>& which) {
  Html items;
  for (const auto i : which) {
    const auto& kernel = verified.kernels[i];
    const auto& decisive = kernel.report.decisive();
    items += tag("li", {tag("a", {{"href", "#" + anchor_of(i)}}, kernel.name), " ", badge(decisive.verdict),
                        " ", decisive.summary});
  }
  return items.empty() ? items : tag("ul", {{"class", "reasons"}}, items);
}

Html verdict_in(const KernelResult& kernel, run::Mode mode) {
  for (const auto& one : kernel.report.modes) {
    if (one.mode == mode) return badge(one.verdict);
  }
  return "\u2013";
}

// The other arithmetic, in words: where it passed, and where it did not. Of a kernel that is wrong as it is
// written that says nothing.
std::string survives(const KernelResult& kernel) {
  for (const auto& one : kernel.report.modes) {
    const bool strict = one.mode == run::Mode::fast || one.mode == run::Mode::checked;
    if (strict && assay::exit_status(one.verdict) != 0) return "\u2013";
  }
  std::string passed, failed;
  for (const auto& one : kernel.report.modes) {
    if (one.mode == run::Mode::fast || one.mode == run::Mode::checked) continue;
    auto& list = one.verdict == Verdict::pass ? passed : failed;
    list += (list.empty() ? "" : ", ") + std::string(run::name_of(one.mode));
  }
  if (failed.empty()) return passed.empty() ? "\u2013" : passed;
  return passed.empty() ? "not " + failed : passed + "; not " + failed;
}

Html kernels_table(const Verified& verified, const Surroundings& around) {
  const bool scored = !around.scores.empty();
  double longest = 0;
  for (const auto& kernel : verified.kernels) {
    double seconds = 0;
    for (const auto& mode : kernel.report.modes) seconds += mode.seconds;
    longest = std::max(longest, seconds);
  }
  std::vector<Column> columns = {{"Kernel"},      {"Operation"},        {"Fast"},
                                 {"Checked"},     {"Other arithmetic"}, {"Worst error", true},
                                 {"Cases", true}, {"Time", true},       {""}};
  if (scored) columns.push_back({"Mutants", true});
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < verified.kernels.size(); ++i) {
    const auto& kernel = verified.kernels[i];
    double seconds = 0;
    std::size_t most = 0;
    for (std::size_t m = 0; m < kernel.report.modes.size(); ++m) {
      seconds += kernel.report.modes[m].seconds;
      if (kernel.report.modes[m].cases_run > kernel.report.modes[most].cases_run) most = m;
    }
    const auto which = mode_with_worst_error(kernel);
    Html error = "\u2013";
    if (which) {
      const auto& errors = kernel.report.modes[*which].errors;
      error = errors.shared() == 0
                  ? Html("exact")
                  : share_of(errors.worst, fmt::format("/kernels/{}/modes/{}/errors/worst", i, *which));
    }
    rows.push_back(
        {tag("a", {{"href", "#" + anchor_of(i)}}, kernel.name), kernel.operation,
         verdict_in(kernel, run::Mode::fast), verdict_in(kernel, run::Mode::checked), survives(kernel), error,
         figure_of(kernel.report.modes[most].cases_run, fmt::format("/kernels/{}/modes/{}/cases", i, most)),
         seconds_text(seconds), meter(longest > 0 ? seconds / longest : 0, "bar", 60)});
    if (scored) {
      const auto score = around.scores.find(kernel.name);
      rows.back().push_back(
          score == around.scores.end()
              ? Html("\u2013")
              : Html(fmt::format("{} of {}", grouped(score->second.killed), grouped(score->second.faulty))));
    }
  }
  return scrolling(
      "All kernels",
      table("Verdict in each mode; worst error of right results, as a share of what is allowed; cases of the "
            "mode that ran most; time of all modes together",
            columns, rows, "wide"));
}

Html sections_of(std::string_view head, const Verified& verified, const std::vector<std::size_t>& which,
                 const Surroundings& around, Ids& ids) {
  if (which.empty()) return {};
  Html all = tag("h2", fmt::format("{} ({})", head, grouped(which.size())));
  for (const auto i : which) {
    const auto score = around.scores.find(verified.kernels[i].name);
    all += kernel_section(verified.kernels[i], i,
                          score == around.scores.end() ? std::nullopt : std::optional(score->second), ids);
  }
  return all;
}

}  // namespace

std::string verify_page(const Results& results, const Surroundings& around) {
  const auto& verified = std::get<Verified>(results.found);
  const Sorted sorted = sort(verified);
  const auto title = title_of(sorted, verified.kernels.size());
  Ids ids;
  std::string modes;
  for (const auto& mode : results.run.settings.at("modes"))
    modes += (modes.empty() ? "" : ", ") + mode.get<std::string>();
  Html settings = {settings_text(results.run.settings), "; modes ", modes, "; manifest ",
                   tag("code", results.run.manifest)};
  if (!results.shard.whole()) settings += "; shard " + to_text(results.shard);
  Html content = tag("h1", title) +
                 tag("p", {{"class", "headline"}}, headline_of(sorted, verified.kernels.size())) +
                 tag("p", {{"class", "settings"}}, settings);
  if (!around.remark.empty()) content += tag("p", {{"class", "settings"}}, around.remark);
  content += cards_of(results, verified, sorted, around) + verdict_bar(verified, ids) +
             reasons_of(verified, sorted.rejected) + reasons_of(verified, sorted.unjudged);
  if (verified.kernels.size() > 1) content += tag("h2", "All kernels") + kernels_table(verified, around);
  content += sections_of("Rejected", verified, sorted.rejected, around, ids) +
             sections_of("Not judged", verified, sorted.unjudged, around, ids) +
             sections_of("Passed", verified, sorted.passed, around, ids);
  return document({title + " \u2013 Assay verify", "verify", results.run.assay, around.written, around.json,
                   around.links},
                  content);
}

}  // namespace assay::report::page
