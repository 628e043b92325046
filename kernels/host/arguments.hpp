// What layers bind to kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "assay/device/buffer.hpp"
#include "kernels/host/gemm_kernels.hpp"

namespace assay::host {

/// Kernels count elements in 32 bits.
inline constexpr std::size_t kIndices = std::size_t{1} << 32;

/// A new buffer that holds the data.
template <class T>
device::Buffer uploaded(device::Device& device, std::span<const T> data) {
  device::Buffer buffer(device, data.size_bytes());
  device.upload(buffer.id(), 0, std::as_bytes(data));
  return buffer;
}

/// Throws std::invalid_argument that names what a kernel needs where the device has not that much.
void check_device(const KernelDescription& kernel, const device::Limits& limits);

/// A size as `constant uint&`. The caller has seen that it fits in 32 bits.
device::InlineBytes uint_bytes(std::size_t value);

/// Throws std::invalid_argument that names the field unless the slice has exactly rows x columns halves.
void check_slice(std::string_view field, const device::BufferSlice& slice, std::size_t rows,
                 std::size_t columns);

/// Throws std::invalid_argument that names the field unless a dimension is at least 1 and in reach of the
/// kernels' 32-bit indices.
void check_dimension(std::string_view field, std::size_t size);

/// The same for the elements of a tensor.
void check_indices(std::string_view field, std::size_t rows, std::size_t columns);

}  // namespace assay::host
