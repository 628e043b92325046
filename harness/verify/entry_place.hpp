// Where a manifest says what.
#pragma once

#include <string>

#include "assay/device/launch_report.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// The line of the manifest that has the field, or the one that it is part of, or else the entry itself.
device::SourcePlace place_of(const KernelEntry& entry, const std::string& field);

}  // namespace assay
