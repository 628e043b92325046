// What a device says of faults, as JSON (docs/machine_readable.md, "A failure").
#pragma once

#include <nlohmann/json.hpp>

#include "harness/device/launch_report.hpp"

namespace assay::run {

nlohmann::json to_json(const device::Fault& fault);
nlohmann::json to_json(const device::OldValue& old);

/// {"type": "seen"}: one that was seen in a launch that has not ended yet.
nlohmann::json fault_message(const device::Fault& fault);

// Inverses. Each throws std::exception for what is none.
device::Fault fault_from(const nlohmann::json& from);
device::OldValue old_value_from(const nlohmann::json& from);
device::Fault fault_in(const nlohmann::json& message);

}  // namespace assay::run
