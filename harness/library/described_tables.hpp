// Buffers that are described in code, as the tables that a manifest would hold.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <vector>

#include "assay/kernel.hpp"

namespace assay::library {

/// What is read from a table without lines, as from that place: messages begin with `file:line`.
std::filesystem::path place_of(const SourceLine& where);

toml::array array_of(const std::vector<std::string>& texts);

/// The fields `dimensions` and `tensors`.
void insert_buffers(const std::vector<DimensionDescription>& dimensions,
                    const std::vector<TensorDescription>& tensors, toml::table& table);

}  // namespace assay::library
