#include "harness/run/planned_cases.hpp"

#include "harness/device/registry.hpp"
#include "harness/run/shaped_cases.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/models.hpp"
#include "properties/large/width_plan.hpp"

namespace assay::run {

PlannedCases planned_cases(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  const bool asked = options.planned && !options.shapes.asked() && !options.exhaustive && !options.laws_alone;
  if (!asked || numerics_of(mode) != Numerics::strict) return {};
  const auto device = device::make_device(options.device, {});
  if (!device->capabilities().samples) return {};
  const auto& operation = properties::find_operation(entry.operation);
  auto plan = properties::plan_widths(entry, operation, device->limits().buffer_bytes);
  const auto space = operation.cases(properties::traits_of(entry));
  for (auto& test_case : properties::popular_cases(operation, space, mode == Mode::checked)) {
    if (can_run(entry, operation, test_case)) plan.cases.push_back(std::move(test_case));
  }
  return {std::move(plan.cases), std::move(plan.wanted)};
}

}  // namespace assay::run
