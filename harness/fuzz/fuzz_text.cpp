#include "harness/fuzz/fuzz_text.hpp"

#include <fmt/format.h>

#include "harness/verify/numbers.hpp"
#include "harness/verify/pace.hpp"

namespace assay::fuzz {
namespace {

std::string rate(const FuzzStatus& status) {
  return rate_text(static_cast<double>(status.cases), status.seconds);
}

// "1 finding", "1,204 findings".
std::string count(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

}  // namespace

std::string start_text(const FindingsDirectory& directory) {
  return fmt::format("seed {}; findings go to {}, which has {} from earlier runs\n", directory.state().seed,
                     directory.path().string(), grouped(directory.state().findings.size()));
}

std::string progress_text(const FuzzStatus& now, const std::string& current) {
  return fmt::format("{} cases, {}{}, round {} of {} in {}, {}, {} new: {}", grouped(now.cases), rate(now),
                     left_text(now.share, now.seconds), grouped(now.round + 1), count(now.kernels, "kernel"),
                     count(now.modes, "mode"), count(now.findings, "finding"), grouped(now.fresh), current);
}

std::string round_text(const KernelEntry& entry, std::uint64_t round, const run::ModeReport& report) {
  return fmt::format("round {}: {} {}: {}, {} in {:.1f} s\n", grouped(round + 1), entry.name,
                     run::name_of(report.mode), assay::name_of(report.verdict),
                     count(report.cases_run, "case"), report.seconds);
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
  auto text = fmt::format("{} in {:.1f} s, {}: {} x {}, {}, {} of them new\n", count(end.cases, "case"),
                          end.seconds, rate(end), count(end.kernels, "kernel"), count(end.modes, "mode"),
                          count(end.findings, "finding"), grouped(end.fresh));
  if (end.outdated > 0) {
    text += fmt::format(
        "{} belong to other kernels or to earlier texts, and did not come up again; `assay replay FILE` says "
        "whether one is still there\n",
        count(end.outdated, "finding"));
  }
  return text;
}

}  // namespace assay::fuzz
