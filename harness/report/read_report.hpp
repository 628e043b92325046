// Reads JSON reports. Anybody may have written one: nothing in it is trusted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/report/fields.hpp"
#include "harness/report/results.hpp"

namespace assay::report {

/// The largest file that is read, in bytes.
inline constexpr std::uintmax_t kLargestReport = std::uintmax_t{1} << 30;

/// Throws ReportError: a file that cannot be read or is too large, no JSON, no report of a version that is
/// known, a field that is missing, of another type, out of range, unknown, or at odds with the others.
Results read_report(const std::filesystem::path& file);

/// The same of a text; `name` stands for the file.
Results parse_report(std::string_view text, const std::string& name);

}  // namespace assay::report
