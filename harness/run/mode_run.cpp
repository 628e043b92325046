#include "harness/run/mode_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "harness/device/source_text.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/profile/profiler.hpp"
#include "harness/remote/fault_json.hpp"
#include "harness/run/branches.hpp"
#include "harness/run/case_list.hpp"
#include "harness/run/dump.hpp"
#include "harness/run/exhaustive_run.hpp"
#include "harness/run/failure_json.hpp"
#include "harness/run/golden_problem.hpp"
#include "harness/run/golden_run.hpp"
#include "harness/run/law_run.hpp"
#include "harness/run/reference_judge.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/verify/entry_place.hpp"
#include "properties/cases/trial.hpp"
#include "properties/large/large_problem.hpp"

namespace assay::run {
namespace {

using properties::Case;

device::LaunchObserver observer_of(const Tracer& tracer, bool trace) {
  if (!trace) return {};
  return [&tracer](const device::LaunchSnapshot& snapshot) { tracer(snapshot); };
}

// How long it takes until a kernel can be run, and whether the cache had it.
class LoadingClock {
 public:
  void tell(const process::Reporter& reporter) const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
    reporter.send({{"type", "loaded"},
                   {"seconds", took.count()},
                   {"cached", metal::objects_compiled() == compiled_before_}});
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::size_t compiled_before_ = metal::objects_compiled();
};

// A launch may never end, and its report not come: then what was seen of it until then is known.
std::function<void(const device::Fault&)> fault_teller(const process::Reporter& reporter) {
  return [&reporter](const device::Fault& fault) { reporter.send(remote::fault_message(fault)); };
}

// A kernel that cannot be compiled is for load_kernel() to report. The processor flushes subnormals of code
// that is the same.
bool same_as_strict(const KernelEntry& entry, Numerics numerics) {
  if (numerics == Numerics::flushed) return false;
  try {
    return metal::same_code(entry.kernel_source(), Numerics::strict, numerics);
  } catch (const std::exception&) {
    return false;
  }
}

// One case, which is not shrunk: against the reference, or one law of it where `law` names one.
class ReplayJudge final : public CaseJudge {
 public:
  ReplayJudge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode, const std::string& law,
              Tracer& tracer)
      : loaded_(loaded), entry_(entry), mode_(mode), law_(law), tracer_(tracer) {}

  std::optional<Finding> judge(std::uint64_t index, const Case& test_case) override {
    const auto& trial = *loaded_.trial;
    if (!law_.empty()) {
      return Finding{
          law_report(loaded_, entry_, mode_, test_case, properties::laws::find_law(trial.operation(), law_))};
    }
    if (properties::is_large(trial.operation().declaration(), test_case.dims))
      return judged(index, test_case, trial.run(test_case));
    const auto problem = trial.operation().make_problem(test_case);
    tracer_.follow(&problem, properties::to_line(test_case));
    const auto result = trial.run(problem);
    tracer_.follow(nullptr);
    return judged(index, test_case, result);
  }

  Finding conclude(std::uint64_t) override { return {}; }

 private:
  Finding judged(std::uint64_t index, const Case& test_case, const properties::TrialResult& result) const {
    auto judged = report_of(*loaded_.trial, entry_, mode_, test_case, result);
    judged.cases_run = 1;
    return finding_of(std::move(judged), test_case, index);
  }

  const KernelUnderTest& loaded_;
  const KernelEntry& entry_;
  Mode mode_;
  const std::string& law_;
  Tracer& tracer_;
};

std::unique_ptr<CaseJudge> judge_for(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                                     const VerifyOptions& options, Tracer& tracer,
                                     const process::Reporter& reporter) {
  if (options.exhaustive) return exhaustive_judge(loaded, entry, mode, options);
  if (options.laws_alone) return law_judge(loaded, entry, mode, options, reporter);
  return reference_judge(loaded, entry, mode, options, tracer, reporter);
}

}  // namespace

void run_mode(const KernelEntry& entry, Mode mode, const VerifyOptions& options,
              const process::Reporter& reporter) {
  const LoadingClock loading;
  if (numerics_of(mode) != Numerics::strict && options.covers(Mode::fast) &&
      same_as_strict(entry, numerics_of(mode))) {
    return reporter.send({{"type", "same"}});
  }
  Tracer tracer(entry, mode, reporter);
  const KernelUnderTest loaded = load_kernel(entry, mode,
                                             {.device = options.device,
                                              .observer = observer_of(tracer, options.trace),
                                              .threads = options.threads,
                                              .fault_seen = fault_teller(reporter)});
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  loading.tell(reporter);
  if (options.golden)
    return reporter.send(to_json(run_golden(loaded, entry, mode, options, tracer, reporter), "result"));
  const auto judge = judge_for(loaded, entry, mode, options, tracer, reporter);
  auto report = report_of(loaded, reporter, run_cases(cases_of(entry, mode, options), *judge, reporter));
  const bool plain = !options.exhaustive && !options.laws_alone && !options.schedules.all;
  if (plain && report.verdict == Verdict::pass && mode == options.counts() && !entry.claims.empty()) {
    const auto counted = profile::Profiler(entry).count({});
    report.claims = assay::compare_claims(entry, counted.figures);
    report.text = profile::claims_text(entry, counted);
    if (!report.text.empty()) {
      report.verdict = Verdict::claim_differs;
      report.summary = "a claim of the manifest differs from what was counted";
      report.place = place_of(entry, "claims");
      device::remember_source(report.place->file);
      report.failure = failure_at(report.place);
    }
  }
  if (plain && options.coverage && mode == options.modes.front()) {
    report.branches = sizes_text(entry, options) + branches_text(entry, options, reporter);
  }
  reporter.send(to_json(report, "result"));
}

namespace {

void dump_case(const KernelUnderTest& loaded, const Case& test_case, const std::string& file) {
  const auto& operation = loaded.trial->operation();
  if (test_case.golden.empty()) {
    if (properties::is_large(operation.declaration(), test_case.dims))
      throw std::invalid_argument(fmt::format(
          "--dump {}: the case is run as a sample of its threadgroups, and not all of its tensors are "
          "kept; ask for a smaller one",
          file));
    return dump(*loaded.trial, test_case, {operation.make_problem(test_case), {}}, file);
  }
  const GoldenProblem golden(test_case, operation, loaded.trial->arithmetic());
  dump(*loaded.trial, test_case, golden.given(test_case), file);
}

}  // namespace

void run_case(const KernelEntry& entry, Mode mode, const Case& test_case, const CaseOptions& options,
              const process::Reporter& reporter) {
  const LoadingClock loading;
  Tracer tracer(entry, mode, reporter);
  const KernelUnderTest loaded = load_kernel(entry, mode,
                                             {.device = options.device,
                                              .observer = observer_of(tracer, options.trace != nullptr),
                                              .fault_seen = fault_teller(reporter)});
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  loading.tell(reporter);
  if (test_case.golden.empty()) {
    ReplayJudge judge(loaded, entry, mode, options.law, tracer);
    const auto report = report_of(loaded, reporter,
                                  run_cases({1, [&](std::uint64_t) { return test_case; }}, judge, reporter));
    reporter.send(to_json(report, "result"));
  } else {
    const auto golden = run_golden_case(loaded, entry, mode, test_case, tracer, reporter);
    reporter.send(to_json(golden, "result"));
  }
  if (!options.dump.empty()) dump_case(loaded, test_case, options.dump);
}

}  // namespace assay::run
