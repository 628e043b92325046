// The map of an output's wrong elements, as JSON (docs/machine_readable.md, "A failure").
#pragma once

#include <nlohmann/json.hpp>

#include "harness/verify/failure.hpp"

namespace assay::run {

nlohmann::json to_json(const OutputGrid& grid);

/// Its inverse. Throws std::exception for what is none: whoever draws a map counts on sizes and indices that
/// are checked here.
OutputGrid grid_from(const nlohmann::json& from);

}  // namespace assay::run
