#include "harness/run/planned_cases.hpp"

#include "harness/device/registry.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/width_plan.hpp"

namespace assay::run {

PlannedCases planned_cases(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  const bool asked = options.planned && !options.shapes.asked() && !options.exhaustive && !options.laws_alone;
  if (!asked || numerics_of(mode) != Numerics::strict) return {};
  const auto device = device::make_device(options.device, {});
  if (!device->capabilities().samples) return {};
  auto plan = properties::plan_widths(entry, properties::find_operation(entry.operation),
                                      device->limits().buffer_bytes);
  return {std::move(plan.cases), std::move(plan.wanted)};
}

}  // namespace assay::run
