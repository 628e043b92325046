#include "kernels/host/arguments.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "reference/shape.hpp"

namespace assay::host {
namespace {

// Kernels step past the end of a dimension by less than this before they look.
constexpr std::size_t kOvershoot = 256;

}  // namespace

void check_device(const KernelDescription& kernel, const device::Limits& limits) {
  if (kernel.threadgroup_bytes > limits.threadgroup_memory_bytes ||
      kernel.threads_per_threadgroup > limits.threads_per_threadgroup || limits.simdgroup_width != 32) {
    throw std::invalid_argument(
        fmt::format("device: {} needs {} bytes of threadgroup memory and {} threads in simdgroups of 32; the "
                    "device has {} bytes, {} threads, simdgroups of {}",
                    kernel.name, kernel.threadgroup_bytes, kernel.threads_per_threadgroup,
                    limits.threadgroup_memory_bytes, limits.threads_per_threadgroup, limits.simdgroup_width));
  }
}

device::InlineBytes uint_bytes(std::size_t value) {
  const auto narrow = static_cast<std::uint32_t>(value);
  device::InlineBytes bound{std::vector<std::byte>(sizeof narrow)};
  std::memcpy(bound.bytes.data(), &narrow, sizeof narrow);
  return bound;
}

void check_slice(std::string_view field, const device::BufferSlice& slice, std::size_t rows,
                 std::size_t columns) {
  const std::size_t needed = sizeof(std::uint16_t) * rows * columns;
  if (slice.size_bytes != needed) {
    throw std::invalid_argument(fmt::format("{}: the slice has {} bytes, {} x {} halves are {}", field,
                                            slice.size_bytes, rows, columns, needed));
  }
}

void check_dimension(std::string_view field, std::size_t size) {
  reference::check_positive(field, size);
  if (size > kIndices - kOvershoot) {
    throw std::invalid_argument(
        fmt::format("{}: {} is out of reach of the kernels' 32-bit indices", field, size));
  }
}

void check_indices(std::string_view field, std::size_t rows, std::size_t columns) {
  const std::size_t elements = reference::checked_product(field, rows, columns);
  if (elements >= kIndices) {
    throw std::invalid_argument(
        fmt::format("{}: {} x {} elements are out of reach of the kernels' 32-bit indices; cut the product",
                    field, rows, columns));
  }
}

}  // namespace assay::host
