#include "harness/run/shrinking.hpp"

#include "harness/remote/remote_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "harness/run/cause.hpp"
#include "harness/sandbox/processor_clock.hpp"

namespace assay::run {
namespace {

using properties::Case;

/// What a case may take while one that fails is shrunk: so many times what that one took, and at least this.
constexpr double kTryTimes = 10, kLeastTry_s = 5;
/// Where cases have but so much time, what making one simpler may take beyond it; and so much more a
/// diagnosis.
constexpr double kBeyond_s = 2;

}  // namespace

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC + remote::processor_s_of_kernels();
}

Finding smallest_of(const Rejected& rejected, const Shrinking& shrinking, const KernelUnderTest& loaded,
                    const KernelEntry& entry, Mode mode, const VerifyOptions& options,
                    const process::Reporter& reporter) {
  const auto& trial = *loaded.trial;
  const std::uint64_t i = rejected.index;
  auto found = report_of(trial, entry, mode, rejected.test_case, rejected.result);
  found.cases_run = i + 1;
  if (found.verdict == Verdict::error) return {std::move(found)};  // not the kernel's
  reporter.send(to_json(found, "found"));
  // What is simpler takes no longer, or it hangs: then what was found before it is the report.
  sandbox::limit_processor_time(
      std::min(std::max(kTryTimes * rejected.seconds, kLeastTry_s), options.timeout_s));
  std::uint64_t steps = 0, tried = 0;
  const auto remember = [&](ModeReport& smaller, std::uint64_t followed, std::uint64_t asked,
                            bool unfinished) {
    if (!smaller.failure || !found.failure) return;
    smaller.failure->shrunk = {i, properties::to_line(rejected.test_case), followed, asked, unfinished};
    if (followed > 0) smaller.failure->outputs_found = found.failure->outputs;
  };
  const auto is_late = [&] {
    return options.enough_s > 0 && processor_seconds() > options.enough_s + kBeyond_s;
  };
  const auto passes = [&](const Case& candidate) {
    if (is_late()) return true;
    reporter.send({{"type", "case"}, {"index", i}});
    ++tried;
    const auto ran = shrinking.run(candidate);
    if (ran.outcome.verdict != found.verdict) return true;
    if (options.counted && cause_of(found.verdict, ran.evidence) != found.cause) return true;
    auto smaller = report_of(trial, entry, mode, candidate, ran);
    smaller.cases_run = i + 1;
    smaller.text +=
        fmt::format("shrunk from case {} in {} steps; then a simpler case hung or crashed\n", i, ++steps);
    remember(smaller, steps, tried, true);
    reporter.send(to_json(smaller, "found"));
    return false;
  };
  auto shrunk = shrinking.follow(rejected.test_case, passes);
  shrunk.exhausted |= is_late();
  auto smallest = report_of(trial, entry, mode, shrunk.smallest, shrinking.run(shrunk.smallest));
  smallest.cases_run = i + 1;
  remember(smallest, shrunk.steps, shrunk.attempts, shrunk.exhausted);
  const std::string words = shrinking.words ? shrinking.words(shrunk.smallest) : "";
  const properties::FailingCase failing{i, rejected.test_case, shrunk};
  auto finding =
      finding_of(std::move(smallest), shrunk.smallest, i, words + failing.describe_shrinking() + "\n");
  if (options.enough_s > 0) finding.until_s = options.enough_s + 2 * kBeyond_s;
  return finding;
}

}  // namespace assay::run
