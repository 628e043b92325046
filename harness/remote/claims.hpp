// What a process says that a kernel may have got hold of, made fit to be shown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::remote {

/// One line for people: what no line holds is left out, and what is too long.
std::string shown_text(std::string text);

/// Its texts are such lines, and its places are in files that kernels are made of (device::remember_source):
/// others are not known, so that no report quotes them. Throws std::invalid_argument where it has more than a
/// device says.
device::LaunchReport checked_claim(device::LaunchReport report);

/// Ascending ranges within that one. Throws std::exception for what is none.
std::vector<device::ByteRange> ranges_from(const nlohmann::json& claim, const device::ByteRange& within);

}  // namespace assay::remote
