// Where the constants of a compiled kernel lie, each from its first byte to its last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::metal {

/// A constant of the text's or of the library's, in offsets from where the object is loaded.
struct ConstantRange {
  std::uint64_t begin = 0, size_bytes = 0;
  std::string name;  ///< as the text has it
};

/// Those of a shared object, given as its bytes, in ascending order. Constants that have no name, which only
/// the compiler itself reads, are not among them, but string literals are. An object that cannot be read has
/// none.
std::vector<ConstantRange> constants_of(const std::string& object);

}  // namespace assay::metal
