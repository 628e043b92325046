// The version of Metal that a text is compiled as: what it may use, and what is promised to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/device/device.hpp"

namespace assay::device {

/// As __METAL_VERSION__ has it: 3.2.
inline constexpr unsigned kMetalVersion = 320;

/// A kernel's `defines` give it another value.
inline constexpr const char* kMetalVersionMacro = "__METAL_VERSION__";

/// "3.1" -> 310; nothing where the text is no such number from 1.0 to 9.9.
std::optional<unsigned> metal_version_from(std::string_view text);

/// The one that its `defines` name; kMetalVersion where they name none.
unsigned metal_version_of(const KernelSource& source);

}  // namespace assay::device
