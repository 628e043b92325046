// Verdicts as JUnit XML, which CI servers show: a test suite a manifest, a test case a kernel and mode.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/results.hpp"

namespace assay::report {

/// The whole document. A kernel that was rejected is a failure, one that could not be judged an error; none
/// is skipped. `timestamp`: when, as 2026-01-31T12:00:00, in UTC. Throws ReportError for results of another
/// command than verify.
std::string junit_text(const Results& results, const std::string& timestamp);

/// The text as XML 1.0 may hold it: bytes that are no UTF-8, and control characters other than line ends and
/// tabs, become U+FFFD.
std::string xml_characters(std::string_view text);

}  // namespace assay::report
