// Numbers as people read them, in messages.
#pragma once

#include <cstdint>
#include <string>

namespace assay::device {

/// 1000000 as "1,000,000".
std::string grouped(std::uint64_t number);

/// "1 byte", "1,024 bytes": `one` is the word for one of them, which takes an s.
std::string counted(std::uint64_t number, const char* one);

}  // namespace assay::device
