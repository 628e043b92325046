#include "harness/run/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "harness/metal/compile/variants.hpp"
#include "harness/metal/text/branches.hpp"
#include "harness/metal/text/live.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/run/case_loop.hpp"
#include "harness/simulator/branches.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {
namespace {

/// "never false: include/fp4.h:88 `k < K`", or "" for a condition that was seen both ways.
std::string unseen(const metal::Condition& condition, std::uint8_t seen,
                   const std::filesystem::path& folder) {
  const bool was_true = (seen & 2) != 0, was_false = (seen & 1) != 0;
  if (was_true && was_false) return "";
  const char* words = was_true ? "never false" : was_false ? "never true" : "never asked";
  const auto relative = std::filesystem::path(condition.file).lexically_proximate(folder);
  const bool below = !relative.empty() && *relative.begin() != "..";
  return fmt::format("{:>12}  {}:{} `{}`\n", words, below ? relative.string() : condition.file,
                     condition.line, condition.text);
}

// Runs the kernel, which notes what it takes, and judges nothing.
class BranchNotes final : public CaseJudge {
 public:
  BranchNotes(const properties::Trial& trial, std::size_t conditions) : trial_(trial), seen_(conditions) {}
  std::optional<Finding> judge(std::uint64_t, const properties::Case& test_case) override {
    const auto ran = trial_.outputs(trial_.operation().make_problem(test_case));
    for (std::size_t n = 0; n < std::min(seen_.size(), ran.report.conditions.size()); ++n)
      seen_[n] |= ran.report.conditions[n];
    return std::nullopt;
  }
  Finding conclude(std::uint64_t) override { return {}; }

  /// LaunchReport::conditions, of all launches.
  const std::vector<std::uint8_t>& seen() const { return seen_; }

 private:
  const properties::Trial& trial_;
  std::vector<std::uint8_t> seen_;
};

}  // namespace

std::string branches_text(const KernelEntry& entry, const VerifyOptions& options,
                          const process::Reporter& reporter) {
  const auto source = entry.kernel_source();
  const auto text = metal::tokenize(metal::preprocess(source), source.path.string());
  const auto outline = metal::outline_of(text.str(), source, {.syntax = true});
  const auto instrumented = metal::instrument(text, metal::live_tokens(text, outline), outline.syntax);
  const std::size_t count = instrumented.conditions.size();
  if (count > simulator::kMostConditions)
    throw std::length_error(
        fmt::format("{} conditions; at most {} can be recorded", count, simulator::kMostConditions));
  const auto compiled = metal::compile_variants(source, {instrumented.text}, {metal::Flavour::fast}).front();
  if (!compiled.module) return fmt::format("    branches  not recorded: {}\n", compiled.error);

  TestDevices devices(Mode::fast, {.module = compiled.module, .conditions = count});
  const properties::Trial trial(entry, devices.devices());
  BranchNotes notes(trial, count);
  auto drawn = options;
  drawn.planned = false;  // their conditions are those of drawn ones
  run_cases(cases_of(entry, Mode::fast, drawn), notes, reporter);
  std::string lines;
  std::size_t both = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const std::string line = unseen(instrumented.conditions[n], notes.seen()[n], source.path.parent_path());
    both += line.empty() ? 1 : 0;
    lines += line;
  }
  return fmt::format("    branches  {} of {} conditions were both true and false\n{}", both, count, lines);
}

}  // namespace assay::run
