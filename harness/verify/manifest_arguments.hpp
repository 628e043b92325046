// What a manifest says a kernel is given: `arguments` in the order of buffer indices, and expressions
// anywhere.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verify/manifest.hpp"
#include "harness/verify/toml_fields.hpp"

namespace assay {

/// Metal's argument tables: buffer indices 0 to 30.
inline constexpr std::size_t kMaxArguments = 31;

/// The field `arguments` of a [[kernel]] table; adds to `lines` where each argument stands. `manifest` is the
/// file's path, for messages. Throws ManifestError.
std::vector<ArgumentEntry> read_arguments(TomlFields& fields, const std::filesystem::path& manifest,
                                          std::map<std::string, std::uint32_t>& lines);

/// A whole number, 0 or greater, or an expression in dimensions. Throws ManifestError.
Expression read_quantity(const TomlFields& fields, const std::string& key, const toml::node& node);

/// May a macro, a tensor or a dimension be called so? Letters, digits and '_', no digit first.
bool is_identifier(std::string_view word);

}  // namespace assay
