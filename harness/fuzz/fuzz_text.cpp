#include "harness/fuzz/fuzz_text.hpp"

#include <fmt/format.h>

#include "harness/verify/numbers.hpp"
#include "harness/verify/pace.hpp"

namespace assay::fuzz {
namespace {

std::string rate(const FuzzStatus& status) {
  return rate_text(static_cast<double>(status.cases), status.seconds);
}

}  // namespace

std::string start_text(const FindingsDirectory& directory) {
  return fmt::format("seed {}; findings go to {}, which has {} from earlier runs\n", directory.state().seed,
                     directory.path().string(), grouped(directory.state().findings.size()));
}

std::string progress_text(const FuzzStatus& now, const std::string& current) {
  return fmt::format("{}, {}{}, in round {}, {} x {}, {}, {} new: {}", counted(now.cases, "case"), rate(now),
                     left_text(now.share, now.seconds), grouped(now.round + 1),
                     counted(now.kernels, "kernel"), counted(now.modes, "mode"),
                     counted(now.findings, "finding"), grouped(now.fresh), current);
}

std::string round_text(const KernelEntry& entry, std::uint64_t round, const run::ModeReport& report) {
  if (report.same_as_strict) return {};
  return fmt::format("round {}: {} {}: {}, {} in {:.1f} s\n", grouped(round + 1), entry.name,
                     run::name_of(report.mode), assay::name_of(report.verdict),
                     counted(report.cases_run, "case"), report.seconds);
}

std::string finding_text(std::string_view what, const KeptFinding& finding,
                         const FindingsDirectory& directory) {
  return fmt::format("{}: {}, {}: {}: {}\n", what, finding.kernel, finding.mode, finding.cause,
                     directory.file_of(finding).string());
}

std::string left_out_text(const KernelEntry& entry, run::Mode mode, const std::string& why) {
  return fmt::format("left out: {}, {}: {}\n", entry.name, run::name_of(mode), why);
}

std::string end_text(const FuzzStatus& end) {
  auto text = fmt::format("{} in {:.1f} s, {}: {} x {}, {}, {} of them new\n", counted(end.cases, "case"),
                          end.seconds, rate(end), counted(end.kernels, "kernel"), counted(end.modes, "mode"),
                          counted(end.findings, "finding"), grouped(end.fresh));
  if (end.outdated > 0) {
    text += fmt::format(
        "{} {} to other kernels or to earlier texts, and did not come up again; `assay replay FILE` says "
        "whether one is still there\n",
        counted(end.outdated, "finding"), end.outdated == 1 ? "belongs" : "belong");
  }
  return text;
}

}  // namespace assay::fuzz
