// What is known of a rejection, drawn.
#pragma once

#include "harness/report/page/parts.hpp"
#include "harness/run/verifier.hpp"

namespace assay::report::page {

/// The failure of a mode in full: its cause, the smallest case and the line that shows it again, diagnosis,
/// faults with their lines, maps. `pointer`: of the mode in the JSON report.
Html failure_section(const run::ModeReport& mode, const std::string& pointer, Ids& ids);

}  // namespace assay::report::page
