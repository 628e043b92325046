// Results as JSON, version 1: docs/report.schema.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/report/results.hpp"

namespace assay::report {

inline constexpr std::string_view kFormat = "assay report";
inline constexpr std::uint64_t kVersion = 1;

nlohmann::json to_json(const Results& results);

/// With line ends, for a file. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json);

}  // namespace assay::report
