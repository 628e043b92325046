// The header of a model file of the safetensors layout: which tensors there are, and where. Types that
// nothing here reads are let through, so that a file with a few such tensors still serves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::golden {

struct ModelTensor {
  std::string name;
  std::string dtype;  ///< as the file writes it; not every name is known here
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes of the data section
};

/// No header is longer: real ones have some 100 bytes a tensor.
inline constexpr std::uint64_t kLongestModelHeader = 100'000'000;

/// Bytes of an element; 0 for a type that is not known here.
std::uint64_t model_element_bytes(std::string_view dtype);

/// The tensors of a header, in the order of their data. `data_bytes` is what follows the header. Throws
/// FormatError, without the file's name before it, where the text is no header or an entry does not fit: keys
/// that stand twice, offsets out of range or overlapping, bytes between tensors or behind them that belong to
/// none, a range that is not the size that shape and type ask for, a product that overflows.
std::vector<ModelTensor> parse_model_header(std::string_view text, std::uint64_t data_bytes);

}  // namespace assay::golden
