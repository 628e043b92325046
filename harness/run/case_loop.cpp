#include "harness/run/case_loop.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "harness/run/exhaustive_run.hpp"
#include "harness/run/golden_cases.hpp"
#include "harness/run/ordinary_cases.hpp"
#include "harness/run/planned_cases.hpp"
#include "harness/run/shrinking.hpp"
#include "properties/large/share.hpp"

namespace assay::run {
namespace {

/// What a case has to do at least (CaseSpace::work_of), for smaller ones take no less; and how many times as
/// long as expected one may take.
constexpr double kLeastWork = 0x1p18, kUnsure = 2;
/// What a thread takes, whatever it does: as much as an element there.
constexpr double kEachThread = 256;

/// What fits into the time that is enough: a case takes as long as the largest before it, for what it has to
/// do.
class Time {
 public:
  explicit Time(const CaseSource& source) : source_(source) {}

  double left() const {
    return source_.enough_s > 0 ? source_.enough_s - processor_seconds()
                                : std::numeric_limits<double>::infinity();
  }
  bool fits(const properties::Case& one) const { return kUnsure * per_work_ * work_of(one) <= left(); }
  void took(const properties::Case& one, double seconds) {
    const double work = work_of(one);
    if (work < largest_) return;
    largest_ = work;
    per_work_ = seconds / work;
  }

 private:
  double work_of(const properties::Case& one) const {
    return source_.work ? std::max(source_.work(one), kLeastWork) : kLeastWork;
  }

  const CaseSource& source_;
  double largest_ = 0, per_work_ = 0;
};

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
  return {count,
          [ordinary = ordinary_cases(entry, mode, options), planned = std::move(planned), drawn,
           first = options.first_case](std::uint64_t index) {
            return index >= drawn ? planned.at(index - drawn) : ordinary.at(first + index);
          },
          options.enough_s,
          [cases = operation.cases(properties::traits_of(entry)), &entry,
           &operation](const properties::Case& one) {
            const double work = cases.work_of(one.dims);
            const auto& each = entry.threads_per_threadgroup;
            return work == 0
                       ? 0
                       : work +
                             kEachThread * each.x * each.y * each.z *
                                 static_cast<double>(properties::threadgroups_at(entry, operation, one.dims));
          }};
}

Finding run_cases(const CaseSource& source, CaseJudge& judge, const process::Reporter& reporter) {
  Time time(source);
  std::vector<std::uint64_t> long_ones;
  std::uint64_t judged = 0;
  const auto ends = [&](std::uint64_t i, const properties::Case& test_case) {
    reporter.send({{"type", "case"}, {"index", i}, {"of", source.count}});
    const double began = processor_seconds();
    auto finding = judge.judge(i, test_case);
    time.took(test_case, processor_seconds() - began);
    ++judged;
    return finding;
  };
  for (std::uint64_t i = 0; i < source.count && time.left() > 0; ++i) {
    const auto test_case = source.at(i);
    if (!time.fits(test_case)) {
      long_ones.push_back(i);
    } else if (auto finding = ends(i, test_case)) {
      return std::move(*finding);
    }
  }
  for (const auto i : long_ones) {
    const auto test_case = source.at(i);
    if (!time.fits(test_case)) continue;
    if (auto finding = ends(i, test_case)) return std::move(*finding);
  }
  return judge.conclude(judged);
}

}  // namespace assay::run
