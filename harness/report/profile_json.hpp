// What `assay profile` counted, as JSON: docs/report.schema.json, "profile".
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "harness/profile/profiler.hpp"

namespace assay::report {

nlohmann::json profile_json(const std::vector<profile::ProfileTask>& tasks, double seconds);

}  // namespace assay::report
