// Where the elements of an input lie in its buffer, for kernels that are told by strides: views of larger
// arrays, transposed, broadcast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/tensor.hpp"

namespace assay {

struct Layout {
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements, none negative
  std::size_t elements = 1;           ///< of the buffer, those between the tensor's among them

  /// Where an element lies, by its row-major number.
  std::size_t place(std::size_t element) const;
};

/// One behind the other, the last axis first.
Layout row_contiguous(const std::vector<std::size_t>& shape);

/// One of: row-contiguous, all axes reversed, the last two exchanged, part of an array that is wider, every
/// second element of one, and broadcast along the axes whose elements are all equal. The same for the same
/// `seed` and name.
Layout drawn_layout(const Tensor& tensor, std::uint64_t seed);

/// The bytes of the buffer. What lies between elements is 0xFF: NaN, or no number that a kernel would be
/// right to read.
std::vector<std::byte> laid_out(const Tensor& tensor, const Layout& layout);

/// The elements in row-major order again; `size` bytes each.
std::vector<std::byte> gathered(const Layout& layout, std::size_t size, std::span<const std::byte> buffer);

}  // namespace assay
