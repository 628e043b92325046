// What the page of claims says whatever the figures are.
#pragma once

#include <string>

namespace assay::profile {

/// The title, what stands on the page, and how it came about.
std::string claims_head();
/// The section of the counters: each with what it counts.
std::string counters_text();

}  // namespace assay::profile
