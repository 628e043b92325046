#include "harness/run/case_loop.hpp"

#include <memory>
#include <utility>

#include "harness/run/exhaustive_run.hpp"
#include "harness/run/golden_cases.hpp"
#include "harness/run/planned_cases.hpp"
#include "harness/run/shrinking.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/values_plan.hpp"

namespace assay::run {
namespace {

/// Of the cases that are drawn, from the hundredth on one in so many has values that plans have.
constexpr std::uint64_t kFirstWithPlannedValues = 100, kWithPlannedValues = 25;

}  // namespace

CaseSource cases_of(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  if (options.exhaustive) {
    const std::shared_ptr<properties::ExhaustiveRun> run = exhaustive_cases(entry, *options.exhaustive);
    // The part "words" runs where arithmetic is strict.
    const bool strict = numerics_of(mode) == Numerics::strict;
    return {strict ? run->size() : run->first_swept(), [run](std::uint64_t index) { return run->at(index); }};
  }
  if (options.shapes.asked()) {
    auto shaped = shaped_cases(entry, options.shapes, options.budget, mode).cases;
    const std::uint64_t count = shaped.size();
    return {count, [shaped = std::move(shaped)](std::uint64_t index) { return shaped.at(index); }};
  }
  if (options.golden) {
    auto golden = golden_cases(entry, *options.golden, options.budget, mode).cases;
    const std::uint64_t count = golden.size();
    return {count, [golden = std::move(golden)](std::uint64_t index) { return golden.at(index); }};
  }
  if (options.schedules.all) return {};
  const auto& operation = properties::operation_of(entry);
  const std::uint64_t drawn = options.cases_of(mode);
  auto planned = planned_cases(entry, mode, options).cases;
  const std::uint64_t count = drawn + planned.size();
  const auto traits = properties::traits_of(entry);
  return {count,
          [cases = operation.cases(traits), traits, planned = std::move(planned), drawn, seed = options.seed,
           first = options.first_case, laws = options.laws_alone](std::uint64_t index) {
            if (index >= drawn) return planned.at(index - drawn);
            auto one = properties::case_at(cases, seed, first + index);
            const bool with_values = !laws && (first + index) % kWithPlannedValues == kWithPlannedValues - 1;
            return with_values && first + index >= kFirstWithPlannedValues
                       ? properties::with_planned_values(cases.declaration(), traits, std::move(one))
                       : one;
          },
          options.enough_s};
}

Finding run_cases(const CaseSource& source, CaseJudge& judge, const process::Reporter& reporter) {
  for (std::uint64_t i = 0; i < source.count; ++i) {
    reporter.send({{"type", "case"}, {"index", i}, {"of", source.count}});
    const auto test_case = source.at(i);
    if (auto finding = judge.judge(i, test_case)) return std::move(*finding);
    if (source.enough_s > 0 && processor_seconds() > source.enough_s) return judge.conclude(i + 1);
  }
  return judge.conclude(source.count);
}

}  // namespace assay::run
