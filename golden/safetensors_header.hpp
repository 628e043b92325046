// The header of a safetensors file by itself: which tensors there are and where, without their data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/tensor.hpp"
#include "golden/input_file.hpp"

namespace assay::golden {

/// The format's own library refuses longer headers (in bytes), so no file that others read has one.
inline constexpr std::uint64_t kLongestHeader = 100'000'000;

/// What the header says of a tensor.
struct HeaderEntry {
  std::string name, dtype;  ///< dtype as the file has it: "F16", "BF16", ...
  std::vector<std::size_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< of its data, in bytes from Header::data_at
};

struct Header {
  std::map<std::string, std::string> metadata;
  std::vector<HeaderEntry> entries;  ///< in the order of their data
  std::uint64_t data_at = 0;         ///< where the data begin in the file

  /// The entry of that name, or nullptr.
  const HeaderEntry* find(std::string_view name) const;
};

/// The bytes of an element of a dtype of the format ("BF16": 2); 0 for a name that the format does not have.
std::size_t element_bytes(std::string_view dtype);

/// Reads and checks it: tensors lie side by side and fill the file, and where the dtype is one of the
/// format's, each is as long as its shape says. Nothing is allocated by the file's word. Throws FormatError.
Header read_header(const InputFile& file);

/// The type that its elements have here. Throws FormatError that lists the types that tensors here may have.
DType dtype_of(const InputFile& file, const HeaderEntry& entry);

}  // namespace assay::golden
