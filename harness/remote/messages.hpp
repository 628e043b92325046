// What a judge and the process that runs its kernels say to each other, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "assay/device/device.hpp"
#include "harness/device/planned_schedule.hpp"

namespace assay::remote {

/// All of a launch but Dispatch::planned.
nlohmann::json to_json(const device::Dispatch& launch);
device::Dispatch dispatch_from(const nlohmann::json& from);

/// What a device says of a launch.
nlohmann::json to_json(const device::LaunchReport& report);
/// Its inverse, of what a process claims that a kernel may have got hold of. Throws std::exception for what
/// no device says of this launch.
device::LaunchReport report_from(const nlohmann::json& claim, const device::Dispatch& launch);

nlohmann::json to_json(const device::SchedulePlan& plan);
device::SchedulePlan plan_from(const nlohmann::json& from);

/// What was done in a launch that followed a plan.
nlohmann::json to_json(const device::ScheduleRecord& record);
/// Throws as report_from() does.
device::ScheduleRecord record_from(const nlohmann::json& claim);

}  // namespace assay::remote
