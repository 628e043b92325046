#include "harness/run/case_loop.hpp"

#include <memory>
#include <utility>

#include "harness/run/exhaustive_run.hpp"
#include "properties/search.hpp"

namespace assay::run {

CaseSource cases_of(const verify::KernelEntry& entry, Way way, const VerifyOptions& options) {
  if (options.exhaustive) {
    const auto plan =
        std::make_shared<properties::ExhaustivePlan>(exhaustive_plan(entry, *options.exhaustive));
    // The part "words" runs where arithmetic is strict.
    const bool strict = way.numerics == Numerics::strict;
    return {strict ? plan->size() : plan->first_of_words(),
            [plan](std::uint64_t index) { return plan->at(index); }};
  }
  const auto& operation = properties::find_operation(entry.operation);
  return {options.cases_of(way),
          [cases = operation.cases(properties::traits_of(entry)), seed = options.seed](std::uint64_t index) {
            return properties::case_at(cases, seed, index);
          }};
}

Finding run_cases(const CaseSource& source, CaseJudge& judge, Benches& benches,
                  const process::Reporter& reporter) {
  for (std::uint64_t i = 0; i < source.count; ++i) {
    reporter.send({{"type", "case"}, {"index", i}, {"of", source.count}});
    const auto problem = source.at(i);
    benches.set_schedule(problem);
    if (auto finding = judge.judge(i, problem)) return std::move(*finding);
  }
  return judge.conclude(source.count);
}

}  // namespace assay::run
