// What a device says of faults, as JSON (docs/machine_readable.md, "A failure").
#pragma once

#include <nlohmann/json.hpp>

#include "assay/device/launch_report.hpp"

namespace assay::remote {

nlohmann::json to_json(const device::Fault& fault);
nlohmann::json to_json(const device::OldValue& old);
nlohmann::json to_json(const device::InactiveRead& read);

/// {"type": "seen"}: one with all that a device says of it, also of a launch that has not ended yet.
nlohmann::json fault_message(const device::Fault& fault);

// Inverses. Each throws std::exception for what is none.
device::Fault fault_from(const nlohmann::json& from);
device::OldValue old_value_from(const nlohmann::json& from);
device::InactiveRead inactive_read_from(const nlohmann::json& from);
device::Fault fault_in(const nlohmann::json& message);

}  // namespace assay::remote
