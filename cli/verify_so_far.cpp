#include "cli/verify_so_far.hpp"

#include <fmt/format.h>

#include "harness/report/collect.hpp"
#include "harness/report/summary.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/pace.hpp"

namespace assay::cli {
namespace {

std::string were(std::size_t count) {
  return fmt::format("{} {}", grouped(count), count == 1 ? "was" : "were");
}

}  // namespace

std::string step_text(const KernelEntry& entry, const run::ModeReport& report) {
  const std::string name = fmt::format("{} {}", entry.name, run::name_of(report.mode));
  if (report.same_as_strict)
    return fmt::format("{}: not run, it compiles to the same code as strict arithmetic\n", name);
  std::string loading;
  if (report.loading) {
    loading =
        fmt::format("; {} {:.1f} s", report.loading->cached ? "loaded from the cache in" : "compiled in",
                    report.loading->seconds);
  }
  const double seconds = report.seconds - (report.loading ? report.loading->seconds : 0);
  return fmt::format("{}: {}, {} in {:.1f} s, {}{}\n", name, assay::name_of(report.verdict),
                     counted(report.cases_run, "case"), seconds,
                     rate_text(static_cast<double>(report.cases_run), seconds), loading);
}

std::string progress_text(const run::Standing& standing) {
  const std::string left =
      standing.left_s ? fmt::format(", about {} left", time_text(*standing.left_s)) : std::string();
  return fmt::format("{} of {} runs done, {}, {}{}: {}", grouped(standing.runs), grouped(standing.of),
                     counted(standing.cases, "case"),
                     rate_text(static_cast<double>(standing.cases), standing.seconds), left,
                     standing.current.empty() ? "compiling" : standing.current);
}

void VerifySoFar::add(const KernelEntry& entry, const run::ModeReport& report, bool last) {
  if (!report.same_as_strict) ended_[&entry].push_back(report);
  if (last) whole_.insert(&entry);
}

std::vector<run::KernelReport> VerifySoFar::reports() const {
  std::vector<run::KernelReport> reports;
  for (const auto* entry : chosen_) {
    const auto found = ended_.find(entry);
    if (found != ended_.end()) reports.push_back({entry, found->second});
  }
  return reports;
}

report::StyledText VerifySoFar::results() const {
  report::StyledText text;
  const auto all = reports();
  for (const auto& report : all) {
    if (announced_.contains(report.entry)) continue;
    for (const auto& mode : report.modes) {
      text.add(fmt::format("{} {}: ", report.entry->name, run::name_of(mode.mode)))
          .add(assay::name_of(mode.verdict), report::style_of(mode.verdict))
          .add("\n");
    }
  }
  return text.add(report::failures(report::verified_of(all)));
}

std::string VerifySoFar::words() const {
  std::size_t passed = 0, rejected = 0, unjudged = 0;
  for (const auto& report : reports()) {
    const int status = assay::exit_status(report.decisive().verdict);
    const bool whole = whole_.contains(report.entry);
    rejected += status == 1;
    passed += status == 0 && whole;
    unjudged += status == 2 && whole;
  }
  const std::string not_judged =
      unjudged == 0 ? std::string() : fmt::format("{} could not be judged, ", grouped(unjudged));
  return fmt::format("{} of {} kernels passed, {} rejected, {}{} not finished; {} in {}", grouped(passed),
                     grouped(chosen_.size()), were(rejected), not_judged,
                     were(chosen_.size() - passed - rejected - unjudged), counted(standing_.cases, "case"),
                     time_text(standing_.seconds));
}

}  // namespace assay::cli
