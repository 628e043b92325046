// The fields of a [[kernel]] table with source_kind = "mlx_body".
#pragma once

#include "harness/verify/manifest.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay {

/// Reads `source_kind` and, where that is "mlx_body", all that goes with it: KernelEntry::mlx, the arguments
/// (inputs, then outputs, as they are bound to names), and the name of the function that is generated. Says
/// whether it did. Throws ManifestError, also for fields that mean nothing beside it.
bool read_body(TomlFields& fields, KernelEntry& entry);

}  // namespace assay
