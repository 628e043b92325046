#include "assay/device/device.hpp"

#include <algorithm>

namespace assay::device {
namespace {

/// What is uploaded in one piece.
constexpr std::size_t kPiece = std::size_t{1} << 20;

constexpr std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0); }

}  // namespace

std::vector<BufferSlice> bound_memory(const Dispatch& launch) {
  std::vector<BufferSlice> bound;
  for (const Argument& argument : launch.arguments) {
    if (const auto* slice = std::get_if<BufferSlice>(&argument)) bound.push_back(*slice);
  }
  for (const auto& texture : launch.textures) {
    if (texture) bound.push_back(texture->memory);
  }
  for (const BufferPointer& pointer : launch.pointers) bound.push_back(pointer.target);
  return bound;
}

Size3 threadgroups_of(const Dispatch& launch) {
  if (!launch.grid_in_threads) return launch.grid;
  const Size3& threads = launch.threads_per_threadgroup;
  return {ceil_div(launch.grid.x, threads.x), ceil_div(launch.grid.y, threads.y),
          ceil_div(launch.grid.z, threads.z)};
}

std::uint64_t invocations_of(const Dispatch& launch) {
  const Size3& threads = launch.threads_per_threadgroup;
  if (launch.sample.empty()) return volume(launch.grid) * (launch.grid_in_threads ? 1 : volume(threads));
  if (!launch.grid_in_threads) return launch.sample.size() * volume(threads);
  const auto left = [](std::uint32_t grid, std::uint32_t at, std::uint32_t size) {
    return std::min(size, grid - at * size);
  };
  std::uint64_t sum = 0;
  for (const Size3& at : launch.sample) {
    sum += volume({left(launch.grid.x, at.x, threads.x), left(launch.grid.y, at.y, threads.y),
                   left(launch.grid.z, at.z, threads.z)});
  }
  return sum;
}

void Device::gather(BufferId buffer, std::span<const ByteRange> ranges, std::span<std::byte> data) {
  std::size_t at = 0;
  for (const auto& [begin, end] : ranges) {
    download(buffer, begin, data.subspan(at, end - begin));
    at += end - begin;
  }
}

void Device::upload_repeated(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                             std::span<const std::byte> pattern) {
  if (pattern.empty()) throw DeviceError("a pattern must have at least 1 byte");
  std::vector<std::byte> piece(pattern.begin(), pattern.end());
  while (piece.size() < kPiece && piece.size() < size_bytes)
    piece.insert(piece.end(), pattern.begin(), pattern.end());
  for (std::size_t done = 0; done < size_bytes; done += piece.size()) {
    upload(buffer, offset_bytes + done, std::span(piece).first(std::min(piece.size(), size_bytes - done)));
  }
}

void Device::forget(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  std::vector<std::byte> fresh(size_bytes);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    fresh[i] = static_cast<std::byte>((offset_bytes + i) % 2 == 0 ? kPoison & 0xFF : kPoison >> 8);
  }
  upload(buffer, offset_bytes, fresh);
}

std::vector<ByteRange> Device::touched(BufferId, std::size_t offset_bytes, std::size_t size_bytes) {
  return {{offset_bytes, offset_bytes + size_bytes}};
}

}  // namespace assay::device
