#include "harness/run/case_loop.hpp"

#include <memory>
#include <utility>

#include "harness/run/exhaustive_run.hpp"
#include "harness/run/planned_cases.hpp"
#include "properties/cases/search.hpp"

namespace assay::run {

CaseSource cases_of(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  if (options.exhaustive) {
    const std::shared_ptr<properties::ExhaustiveRun> run = exhaustive_cases(entry, *options.exhaustive);
    // The part "words" runs where arithmetic is strict.
    const bool strict = numerics_of(mode) == Numerics::strict;
    return {strict ? run->size() : run->first_swept(), [run](std::uint64_t index) { return run->at(index); }};
  }
  if (options.shapes.asked()) {
    auto shaped = shaped_cases(entry, options.shapes, options.budget);
    const std::uint64_t count = shaped.size();
    return {count, [shaped = std::move(shaped)](std::uint64_t index) { return shaped.at(index); }};
  }
  if (options.schedules.all) return {};
  const auto& operation = properties::find_operation(entry.operation);
  const std::uint64_t drawn = options.cases_of(mode);
  auto planned = planned_cases(entry, mode, options).cases;
  const std::uint64_t count = drawn + planned.size();
  return {count, [cases = operation.cases(properties::traits_of(entry)), planned = std::move(planned), drawn,
                  seed = options.seed, first = options.first_case](std::uint64_t index) {
            return index < drawn ? properties::case_at(cases, seed, first + index)
                                 : planned.at(index - drawn);
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
