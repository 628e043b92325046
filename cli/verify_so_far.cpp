#include "cli/verify_so_far.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  return fmt::format("{}: {}, {} cases in {:.1f} s, {}{}\n", name, assay::name_of(report.verdict),
                     grouped(report.cases_run), seconds,
                     rate_text(static_cast<double>(report.cases_run), seconds), loading);
}

std::string progress_text(const run::Standing& standing) {
  const std::string left =
      standing.left_s ? fmt::format(", about {} left", time_text(*standing.left_s)) : std::string();
  return fmt::format("{} of {} runs done, {} cases, {}{}: {}", grouped(standing.runs), grouped(standing.of),
                     grouped(standing.cases),
                     rate_text(static_cast<double>(standing.cases), standing.seconds), left,
                     standing.current.empty() ? "compiling" : standing.current);
}

void VerifySoFar::add(const KernelEntry& entry, const run::ModeReport& report) {
  ended_[&entry].push_back(report);
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
    if (std::find(announced_.begin(), announced_.end(), report.entry) != announced_.end()) continue;
    for (const auto& mode : report.modes) {
      if (mode.same_as_strict) continue;
      text.add(fmt::format("{} {}: ", report.entry->name, run::name_of(mode.mode)))
          .add(assay::name_of(mode.verdict), report::style_of(mode.verdict))
          .add("\n");
    }
  }
  return text.add(report::failures(report::verified_of(all)));
}

std::string VerifySoFar::words() const {
  std::size_t passed = 0, rejected = 0;
  for (const auto& report : reports()) {
    const int status = assay::exit_status(report.decisive().verdict);
    const bool whole = std::find(announced_.begin(), announced_.end(), report.entry) != announced_.end();
    rejected += status == 1;
    passed += status == 0 && whole;
  }
  return fmt::format("{} of {} kernels passed, {} rejected, {} not finished; {} cases in {}", grouped(passed),
                     grouped(chosen_.size()), were(rejected), were(chosen_.size() - passed - rejected),
                     grouped(standing_.cases), time_text(standing_.seconds));
}

}  // namespace assay::cli
