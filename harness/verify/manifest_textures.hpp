// The fields `textures` and `samplers` of a [[kernel]] table.
#pragma once

#include <optional>
#include <vector>

#include "harness/verify/manifest.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay {

/// Reads both into the entry, and where each stands into its lines. Throws ManifestError.
void read_textures(TomlFields& fields, KernelEntry& entry);

}  // namespace assay
