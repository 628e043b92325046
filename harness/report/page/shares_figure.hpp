// How much of what they may be off the right results of a kernel are off.
#pragma once

#include <string>

#include "harness/report/page/parts.hpp"
#include "harness/verify/error_shares.hpp"

namespace assay::report::page {

/// A histogram, and the same in words and numbers. `pointer`: of the shares in the JSON report.
Html shares_figure(const ErrorShares& shares, const std::string& pointer, Ids& ids);

}  // namespace assay::report::page
