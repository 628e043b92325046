#include "properties/cases/trial.hpp"

#include <algorithm>
#include <string_view>

#include "harness/device/guarded_device.hpp"
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
// was truly left unwritten shows on the bench whose poison is another. Arithmetic makes a signaling NaN quiet
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

TrialResult Trial::try_on_benches(const Problem& problem, const std::vector<Expectation>& expected) const {
  TrialResult result;
  std::vector<Tensor> first;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    // The last bench launches as often as the operation says: one bench alone must stand that, and the last
    // of several comes out as the first, which was launched once. Decisions are those of one launch.
    const bool more = i + 1 == devices_.size() && problem.decisions == nullptr;
    const unsigned launches = more ? operation_.declaration().launches : 1;
    auto run = assay::run_problem(*devices_[i].device, kernels_[i], entry_, problem, launches);
    auto& faults = result.evidence.report.faults;
    auto& old_values = result.evidence.report.old_values;
    if (old_values.empty()) old_values = std::move(run.report.old_values);
    auto& inactive_reads = result.evidence.report.inactive_reads;
    if (inactive_reads.empty()) inactive_reads = std::move(run.report.inactive_reads);
    if (i > 0) {  // a second run says only what the first did not
      if (faults.empty()) faults = std::move(run.report.faults);
      if (result.evidence.changed_inputs.empty()) {
        result.evidence.changed_inputs = std::move(run.changed_inputs);
      }
      if (result.evidence.second_run.empty()) {
        result.evidence.second_run =
            assay::compare_bits(first, run.outputs, devices_[0].poison, devices_[i].poison);
      }
      continue;
    }
    faults = std::move(run.report.faults);
    result.evidence.changed_inputs = std::move(run.changed_inputs);
    for (const auto& expectation : expected) {
      const auto output = std::find_if(run.outputs.begin(), run.outputs.end(),
                                       [&](const auto& one) { return one.name == expectation.tensor; });
      const TensorSpec* spec = find_named(operation_.declaration().tensors, expectation.tensor);
      if (output == run.outputs.end() && spec != nullptr && spec->optional) continue;
      if (output == run.outputs.end()) {
        throw std::logic_error("operation " + operation_.name() + " expects " + expectation.tensor +
                               ", which is no output");
      }
      const auto poison = holds_poison(problem) ? device::kSecondPoison : devices_[i].poison;
      result.evidence.comparisons.push_back(
          assay::compare(*output, expectation, poison, !result.evidence.report.inactive_reads.empty()));
      const auto given = std::find_if(problem.inputs.begin(), problem.inputs.end(),
                                      [&](const auto& one) { return one.name == expectation.tensor; });
      const Tensor* const initial = given == problem.inputs.end() ? nullptr : &*given;
      result.telling |= !operation_.has_answers() || telling_elements(expectation, initial) > 0;
    }
    first = std::move(run.outputs);
  }
  result.outputs = std::move(first);
  result.outcome = assay::judge(result.evidence);
  return result;
}

RunResult Trial::outputs(const Problem& problem) const {
  return assay::run_problem(*devices_.at(0).device, kernels_.at(0), entry_, problem);
}

std::string Trial::report(const Dims& dims, const TrialResult& result, const std::string& replay) const {
  return assay::failure_text({entry_, dims, replay, result.evidence, result.outcome});
}

}  // namespace assay::properties
