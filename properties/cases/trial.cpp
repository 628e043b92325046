#include "properties/cases/trial.hpp"

#include <algorithm>
#include <string_view>

#include "assay/device/guarded_device.hpp"
#include "harness/verify/binding.hpp"
#include "harness/verify/claims.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/report.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/flushing.hpp"
#include "properties/cases/semantics.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/large_trial.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/shape_cases.hpp"
#include "properties/large/whole.hpp"

namespace assay::properties {
namespace {

/// All of a half but its sign and the bit that tells quiet NaN from signaling ones.
constexpr std::uint16_t kPayloadOfNan = 0x7DFF;

const Operation& known_operation_of(const KernelEntry& entry) {
  try {
    return operation_of(entry);
  } catch (const std::invalid_argument& unknown) {
    throw entry.error("operation", unknown.what());
  }
}

// A NaN among the inputs may carry the poison's payload into a result, which then only looks unwritten; what
// was truly left unwritten shows on a bench whose poison is another. Arithmetic makes a signaling NaN quiet
// and may turn its sign, so neither bit counts.
bool holds_poison(const Problem& problem) {
  return std::any_of(problem.inputs.begin(), problem.inputs.end(), [](const Tensor& tensor) {
    if (tensor.dtype != DType::f16) return false;
    const auto halves = tensor.as<std::uint16_t>();
    return std::any_of(halves.begin(), halves.end(), [](std::uint16_t half) {
      return (half & kPayloadOfNan) == (device::kPoison & kPayloadOfNan);
    });
  });
}

}  // namespace

void check_entry(const KernelEntry& entry) {
  const Operation& operation = known_operation_of(entry);
  assay::resolve_arguments(entry, operation.argument_names());
  assay::check_claims(entry, operation.argument_names());
  try {
    operation.check_kernel(traits_of(entry));
  } catch (const std::invalid_argument& bad) {
    std::string_view why = bad.what();
    constexpr std::string_view kField = "requires: ";
    if (why.starts_with(kField)) why.remove_prefix(kField.size());
    throw entry.error("requires", why);
  }
  check_semantics(entry, operation.declaration());
  check_shapes(entry, operation);
}

KernelEntry settled(KernelEntry entry) {
  settle_semantics(entry, known_operation_of(entry).declaration());
  return entry;
}

Trial::Trial(const KernelEntry& entry, std::vector<TestDevice> devices)
    : Trial(entry, std::move(devices), entry.arithmetic) {}

Trial::Trial(const KernelEntry& entry, std::vector<TestDevice> devices, const Arithmetic& compiled)
    : entry_(settled(entry)),
      operation_(known_operation_of(entry)),
      arithmetic_(compiled),
      devices_(std::move(devices)) {
  check_entry(entry);
  operation_.prepare(arithmetic_);
  const auto asked =
      std::find_if(devices_.begin(), devices_.end(), [](const TestDevice& one) { return one.when_asked; });
  if (asked != devices_.end()) {
    asked_ = *asked;
    devices_.erase(asked);
  }
  for (const auto& bench : devices_) kernels_.push_back(bench.device->load(entry.kernel_source()));
}

TrialResult Trial::run(const Case& test_case) const {
  if (!is_large(operation_.declaration(), test_case.dims)) return run(operation_.make_problem(test_case));
  if (runs_whole(operation_.declaration(), test_case)) {
    const Problem problem = operation_.make_problem(test_case);
    TrialResult whole = run(problem);
    cover_widths(problem, whole.coverage);
    return whole;
  }
  TrialResult result;
  try {
    return run_large(*this, test_case, devices_, kernels_);
  } catch (const Unjudgeable& nothing) {
    result.outcome = {Verdict::vacuous, nothing.what(), {nothing.what()}};
  } catch (const device::DeviceError& failed) {
    result.outcome = {Verdict::error, failed.what(), {failed.what()}};
  }
  return result;
}

TrialResult Trial::run(const Problem& problem) const {
  try {
    std::vector<Expectation> expected = right_answers(operation_, problem, arithmetic_);
    TrialResult result = run(problem, expected);
    result.expected = std::move(expected);
    return result;
  } catch (const Unjudgeable& nothing) {
    TrialResult result;
    result.outcome = {Verdict::vacuous, nothing.what(), {nothing.what()}};
    return result;
  }
}

TrialResult Trial::run(const Problem& problem, const std::vector<Expectation>& expected) const {
  try {
    return try_on_benches(problem, expected);
  } catch (const device::DeviceError& failed) {
    TrialResult result;  // what was seen before it counts for nothing
    result.outcome = {Verdict::error, failed.what(), {failed.what()}};
    return result;
  }
}

std::vector<Comparison> Trial::compared(const std::vector<Tensor>& outputs,
                                        const std::vector<Expectation>& expected, FreshMemory fresh,
                                        const std::vector<Tensor>* second, bool inactive_reads) const {
  std::vector<Comparison> all;
  for (const auto& expectation : expected) {
    const Tensor* const output = find_named(outputs, expectation.tensor);
    const TensorSpec* spec = find_named(operation_.declaration().tensors, expectation.tensor);
    if (output == nullptr && spec != nullptr && spec->optional) continue;
    if (output == nullptr) {
      throw std::logic_error("operation " + operation_.name() + " expects " + expectation.tensor +
                             ", which is no output");
    }
    fresh.other = second == nullptr ? nullptr : find_named(*second, expectation.tensor);
    all.push_back(assay::compare(*output, expectation, fresh, inactive_reads));
  }
  return all;
}

std::vector<Tensor> Trial::when_asked(const Problem& problem) const {
  return assay::run_problem(*asked_->device, kernels_.at(0), entry_, problem).outputs;
}

TrialResult Trial::try_on_benches(const Problem& problem, const std::vector<Expectation>& expected) const {
  TrialResult result;
  Evidence& evidence = result.evidence;
  std::vector<Tensor> first, second;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    // The last bench launches as often as the operation says: one bench alone must stand that, and the last
    // of several comes out as the first, which was launched once. Decisions are those of one launch.
    const bool more = i + 1 == devices_.size() && problem.planned == nullptr;
    const unsigned launches = more ? operation_.declaration().launches : 1;
    auto run = assay::run_problem(*devices_[i].device, kernels_[i], entry_, problem, launches);
    // A second run says only what the first did not.
    const auto take = [](auto& known, auto& found) {
      if (known.empty()) known = std::move(found);
    };
    take(evidence.report.old_values, run.report.old_values);
    take(evidence.report.inactive_reads, run.report.inactive_reads);
    take(evidence.report.faults, run.report.faults);
    take(evidence.report.undefined, run.report.undefined);
    take(evidence.changed_inputs, run.changed_inputs);
    if (i == 0) {
      first = std::move(run.outputs);
      continue;
    }
    if (evidence.second_run.empty())
      evidence.second_run = assay::compare_bits(first, run.outputs, devices_[0].poison, devices_[i].poison);
    if (second.empty()) second = std::move(run.outputs);
  }
  const bool inactive_reads = !evidence.report.inactive_reads.empty();
  FreshMemory fresh = devices_[0].poison;
  const bool two = devices_.size() > 1, may_ask = asked_ && problem.planned == nullptr;
  if (two) fresh.other_poison = devices_[1].poison;
  if (!two && !may_ask && holds_poison(problem)) fresh.poison = device::kSecondPoison;
  evidence.comparisons = compared(first, expected, fresh, two ? &second : nullptr, inactive_reads);
  const bool seem_unwritten = std::any_of(evidence.comparisons.begin(), evidence.comparisons.end(),
                                          [](const Comparison& one) { return one.never_written > 0; });
  if (may_ask && seem_unwritten && evidence.report.faults.empty()) {
    second = when_asked(problem);
    fresh.other_poison = asked_->poison;
    evidence.comparisons = compared(first, expected, fresh, &second, inactive_reads);
  }
  for (const auto& expectation : expected) {
    if (find_named(first, expectation.tensor) == nullptr) continue;  // an optional one that is left out
    const Tensor* const initial = find_named(problem.inputs, expectation.tensor);
    result.telling |= !operation_.has_answers() || telling_elements(expectation, initial) > 0;
  }
  const auto right = [](const Comparison& one) { return one.right(); };
  if (!std::all_of(evidence.comparisons.begin(), evidence.comparisons.end(), right))
    evidence.inputs = small_inputs(problem);
  result.outputs = std::move(first);
  assay::blame_undefined(evidence);
  result.outcome = assay::judge(evidence);
  return result;
}

RunResult Trial::outputs(const Problem& problem) const {
  return assay::run_problem(*devices_.at(0).device, kernels_.at(0), entry_, problem);
}

std::string Trial::report(const Dims& dims, const TrialResult& result, const std::string& replay) const {
  return assay::failure_text({entry_, dims, replay, result.evidence, result.outcome});
}

}  // namespace assay::properties
