// What a judge and the process that runs its kernels say to each other, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "harness/device/decisions.hpp"
#include "harness/device/device.hpp"

namespace assay::remote {

/// All of a launch but Dispatch::decisions.
nlohmann::json to_json(const device::Dispatch& launch);
device::Dispatch dispatch_from(const nlohmann::json& from);

/// What a device says of a launch.
nlohmann::json to_json(const device::LaunchReport& report);
/// Its inverse, of what a process claims that a kernel may have got hold of. Throws std::exception for what
/// no device says of this launch.
device::LaunchReport report_from(const nlohmann::json& claim, const device::Dispatch& launch);

nlohmann::json to_json(const device::Situation& situation);
/// `waiting` holds what the result looks at. Throws as report_from() does.
device::Situation situation_from(const nlohmann::json& claim, std::vector<device::Waiting>& waiting);

}  // namespace assay::remote
