// Which codes the packed weights of a run held, and where in a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "properties/cases/coverage.hpp"

namespace assay::properties {

inline constexpr std::size_t kCodes = 16;  ///< of four bits

/// "code 7 at nibble 3", for K x N codes packed as in docs/formats.md, eight of a column in a word; nibble k
/// % 8.
void cover_codes(std::span<const std::uint32_t> packed, std::size_t K, std::size_t N, Coverage& coverage);
/// All 128 tags that cover_codes can give.
std::vector<std::string> all_code_tags();

}  // namespace assay::properties
