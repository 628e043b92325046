// Which loop of a kernel does not end, from where it was seen.
#pragma once

#include <span>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "harness/metal/module/site_table.hpp"

namespace assay::metal {

/// Where a kernel was at one moment: the line, and those of the calls that led there.
using Look = std::vector<device::SourcePlace>;

/// The head of the innermost of these loops that the kernel was in at all of the looks, or at nearly all.
/// None where no loop is: optimised code may belong to no line of its loop.
device::SourcePlace place_of_loop(std::span<const TextLoop> loops, std::span<const Look> looks);

/// Whether the innermost of these loops around this place, which is an atomic operation's, does nothing but
/// wait: it calls nothing else, so that what its lanes wait for is done by those that have left it.
bool only_waits(std::span<const TextLoop> loops, const device::SourcePlace& place);

}  // namespace assay::metal
