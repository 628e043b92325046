#include "harness/verify/layout.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace assay {
namespace {

using Shape = std::vector<std::size_t>;

constexpr std::byte kBetween{0xFF};

std::size_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// The number of elements from the first to behind the last.
Layout closed(Layout layout) {
  layout.elements = 1;
  for (std::size_t i = 0; i < layout.shape.size(); ++i)
    layout.elements += (layout.shape[i] - 1) * static_cast<std::size_t>(layout.strides[i]);
  return layout;
}

/// The axes in `order`, the one that changes fastest last, in an array whose sides are longer by `wider`.
Layout ordered(const Shape& shape, const std::vector<std::size_t>& order, const Shape& wider) {
  Layout layout{shape, std::vector<std::int64_t>(shape.size(), 0)};
  std::size_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    layout.strides[order[i]] = static_cast<std::int64_t>(stride);
    stride *= shape[order[i]] + wider[order[i]];
  }
  return closed(std::move(layout));
}

std::vector<std::size_t> all_axes(const Shape& shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

bool is_equal_along(const Tensor& tensor, std::size_t axis) {
  const std::size_t size = size_of(tensor.dtype);
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < tensor.shape.size(); ++i) inner *= tensor.shape[i];
  const std::size_t line = inner * tensor.shape[axis];
  for (std::size_t i = 0; i < tensor.element_count(); ++i) {
    const std::size_t first = i / line * line + i % inner;
    if (std::memcmp(tensor.data.data() + i * size, tensor.data.data() + first * size, size) != 0)
      return false;
  }
  return true;
}

Layout broadcast(const Tensor& tensor) {
  Shape kept = tensor.shape;
  std::vector<bool> equal(kept.size());
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    equal[axis] = is_equal_along(tensor, axis);
    if (equal[axis]) kept[axis] = 1;
  }
  Layout layout = row_contiguous(kept);
  layout.shape = tensor.shape;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (equal[axis]) layout.strides[axis] = 0;
  }
  return closed(std::move(layout));
}

/// Well mixed, and the same on every machine.
std::uint64_t mixed(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = seed ^ 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9;
  return hash ^ (hash >> 32);
}

}  // namespace

std::size_t Layout::place(std::size_t element) const {
  std::size_t at = 0;
  for (std::size_t i = shape.size(); i-- > 0; element /= shape[i])
    at += element % shape[i] * static_cast<std::size_t>(strides[i]);
  return at;
}

Layout row_contiguous(const std::vector<std::size_t>& shape) {
  const Shape none(shape.size(), 0);
  return ordered(shape, all_axes(shape), none);
}

Layout drawn_layout(const Tensor& tensor, std::uint64_t seed) {
  const Shape& shape = tensor.shape;
  if (shape.empty()) return row_contiguous(shape);
  const std::uint64_t random = mixed(seed, tensor.name);
  Shape wider(shape.size(), 0);
  auto order = all_axes(shape);
  switch (random % 6) {
    case 0:
      break;
    case 1:
      std::reverse(order.begin(), order.end());
      break;
    case 2:
      if (order.size() > 1) std::swap(order[order.size() - 1], order[order.size() - 2]);
      break;
    case 3:
      for (std::size_t i = 1; i < wider.size(); ++i) wider[i] = 1 + (random >> (8 * (i % 6))) % 5;
      break;
    case 4: {
      Layout twice = row_contiguous(shape);
      for (std::int64_t& stride : twice.strides) stride *= 2;
      return closed(std::move(twice));
    }
    default:
      return broadcast(tensor);
  }
  return ordered(shape, order, wider);
}

std::vector<std::byte> laid_out(const Tensor& tensor, const Layout& layout) {
  const std::size_t size = size_of(tensor.dtype);
  std::vector<std::byte> bytes(layout.elements * size, kBetween);
  for (std::size_t i = 0; i < count_of(layout.shape); ++i)
    std::memcpy(bytes.data() + layout.place(i) * size, tensor.data.data() + i * size, size);
  return bytes;
}

std::vector<std::byte> gathered(const Layout& layout, std::size_t size, std::span<const std::byte> buffer) {
  std::vector<std::byte> bytes(count_of(layout.shape) * size);
  for (std::size_t i = 0; i < count_of(layout.shape); ++i)
    std::memcpy(bytes.data() + i * size, buffer.data() + layout.place(i) * size, size);
  return bytes;
}

}  // namespace assay
