#include "harness/fuzz/death_shrinking.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "harness/run/finding.hpp"
#include "harness/run/replay_line.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"

namespace assay::fuzz {
namespace {

using properties::Case;

/// A try costs a process, and the timeout where it hangs too.
constexpr properties::ShrinkLimit kTries{150};

void shrink(const KernelEntry& entry, const KeptFinding& finding, run::CaseOptions options,
            const process::Reporter& reporter) {
  const auto line = run::parse_replay_line(finding.replay);
  options.law = line.law;
  std::optional<run::ModeReport> smallest;
  const auto passes = [&](const Case& candidate) {
    auto report = run::verify_case(entry, line.mode, candidate, options);
    if (report.cause != finding.cause) return true;
    smallest = std::move(report);
    return false;
  };
  if (passes(line.test_case)) return;
  const auto cases = properties::operation_of(entry).cases(properties::traits_of(entry));
  const auto shrunk = properties::shrink(cases, line.test_case, passes, kTries);
  smallest->text += fmt::format("shrunk in {} steps ({} tried)\n", shrunk.steps, shrunk.attempts);
  reporter.send(run::to_json(*smallest, "result"));
}

}  // namespace

process::Job shrink_death(const KernelEntry& entry, const KeptFinding& finding, run::CaseOptions options,
                          std::function<void(const std::optional<run::ModeReport>&)> ended) {
  const auto report = std::make_shared<std::optional<run::ModeReport>>();
  process::Job job;
  job.work = [&entry, finding, options = std::move(options)](const process::Reporter& reporter) {
    shrink(entry, finding, options, reporter);
  };
  job.hear = [report](const nlohmann::json& message) {
    if (message.value("type", "") == "result") *report = run::report_from_json(message);
    return true;
  };
  job.ended = [report, ended = std::move(ended)](const process::JobEnd&) { ended(*report); };
  return job;
}

}  // namespace assay::fuzz
