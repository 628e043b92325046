// Operations as a manifest states them: [[operation]] tables, and the buffers of a [[kernel]] without one.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <filesystem>

#include "harness/verify/stated_operation.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay {

/// So many dimensions a manifest may state for one operation or kernel.
inline constexpr std::size_t kMaxDimensions = 16;

/// Reads one [[operation]] table and refuses unknown fields. Its reference must be a file. Throws
/// ManifestError.
StatedOperation read_operation(const toml::table& table, const std::filesystem::path& file);

/// The fields `dimensions`, `tensors` and `launches` of a table, which must be there but for the last.
/// Throws ManifestError.
void read_buffers(TomlFields& fields, StatedOperation& stated);

}  // namespace assay
