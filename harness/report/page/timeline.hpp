// The two accesses of a race in their order, and the barriers around them.
#pragma once

#include "assay/device/launch_report.hpp"
#include "harness/report/page/parts.hpp"

namespace assay::report::page {

/// A drawing, time downwards, and the same as a list; nothing for a fault that is no race of two accesses.
Html timeline(const device::Fault& race, Ids& ids);

}  // namespace assay::report::page
