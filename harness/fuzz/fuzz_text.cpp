#include "harness/fuzz/fuzz_text.hpp"

#include <fmt/format.h>

namespace assay::fuzz {
namespace {

double rate(const FuzzStatus& status) { return static_cast<double>(status.cases) / status.seconds; }

}  // namespace

std::string start_text(const FindingsDirectory& directory) {
  return fmt::format("seed {}, findings in {}: {} from earlier runs\n", directory.state().seed,
                     directory.path().string(), directory.state().findings.size());
}

std::string progress_text(const FuzzStatus& now, const std::string& current) {
  return fmt::format("{} cases, {:.1f}/s, {} kernels x {} modes, round {}, {} findings, {} new: {}",
                     now.cases, rate(now), now.kernels, now.modes, now.round, now.findings, now.fresh,
                     current);
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
  auto text = fmt::format(
      "{} cases in {:.1f} s, {:.1f} a second: {} kernels x {} modes, {} findings, {} of them new\n",
      end.cases, end.seconds, rate(end), end.kernels, end.modes, end.findings, end.fresh);
  if (end.outdated > 0) {
    text += fmt::format(
        "{} findings are of other kernels or of earlier texts, and were not met again: `assay replay FILE` "
        "says whether they are still there\n",
        end.outdated);
  }
  return text;
}

}  // namespace assay::fuzz
