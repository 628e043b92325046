// What was counted of a kernel beside what its manifest claims.
#pragma once

#include <string>
#include <vector>

#include "harness/report/page/parts.hpp"
#include "harness/verify/claims.hpp"

namespace assay::report::page {

/// A number with commas between thousands: "16,384", "61.3"; a figure: "4 to 8", "unlimited".
std::string number_of(double value);
std::string figure_text(const Figure& figure);

/// A row for each claim. `pointer`: of the list in the JSON report.
Html claim_table(const std::vector<ClaimResult>& claims, const std::string& pointer);

/// Two bars, the measured one above the claimed, as parts of the larger of both; of nothing where there is
/// none.
Html paired_bars(const std::optional<Figure>& measured, std::optional<double> claimed);

}  // namespace assay::report::page
