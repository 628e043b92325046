// What a file says of its own bytes, so that one flipped bit anywhere shows.
#pragma once

#include <string>
#include <string_view>

#include "golden/safetensors_header.hpp"

namespace assay::golden {

/// The metadata key. Its value is the XXH3-128 of the whole file in 32 lowercase hexadecimal digits (as
/// `xxhsum -H2` prints it), taken with these digits themselves as zeros.
inline constexpr std::string_view kHashKey = "content_hash";
inline constexpr std::size_t kHashDigits = 32;

/// Where the digits stand in the file, from its beginning. Throws FormatError where they are missing, or are
/// no such number.
std::uint64_t place_of_hash(const InputFile& file, const Header& header);

/// The hash of the file as it is now. Reads all of it, a piece at a time.
std::string content_hash(const InputFile& file, const Header& header);

/// Throws FormatError unless the file is what its hash says.
void check_hash(const InputFile& file, const Header& header);

}  // namespace assay::golden
