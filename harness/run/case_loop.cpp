#include "harness/run/case_loop.hpp"

#include <memory>
#include <utility>

#include "harness/run/exhaustive_run.hpp"
#include "properties/cases/search.hpp"

namespace assay::run {

CaseSource cases_of(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  if (options.exhaustive) {
    const std::shared_ptr<properties::ExhaustiveRun> run = exhaustive_cases(entry, *options.exhaustive);
    // The part "words" runs where arithmetic is strict.
    const bool strict = numerics_of(mode) == Numerics::strict;
    return {strict ? run->size() : run->first_swept(), [run](std::uint64_t index) { return run->at(index); }};
  }
  const auto& operation = properties::find_operation(entry.operation);
  return {options.cases_of(mode), [cases = operation.cases(properties::traits_of(entry)), seed = options.seed,
                                   first = options.first_case](std::uint64_t index) {
            return properties::case_at(cases, seed, first + index);
          }};
}

Finding run_cases(const CaseSource& source, CaseJudge& judge, const process::Reporter& reporter) {
  for (std::uint64_t i = 0; i < source.count; ++i) {
    reporter.send({{"type", "case"}, {"index", i}, {"of", source.count}});
    const auto test_case = source.at(i);
    if (auto finding = judge.judge(i, test_case)) return std::move(*finding);
  }
  return judge.conclude(source.count);
}

}  // namespace assay::run
