#include "harness/simulator/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/device/bytes.hpp"
#include "harness/device/grouped.hpp"
#include "harness/simulator/address_space.hpp"
#include "harness/simulator/checker.hpp"

namespace assay::simulator {
namespace {

using device::counted;
using device::DeviceError;
using device::grouped;

std::uintptr_t address_of(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); }

}  // namespace

Buffers::~Buffers() {
  for (const auto& [id, buffer] : buffers_) give_back(buffer);
}

void Buffers::give_back(const Buffer& buffer) const {
  auto& memory = AddressSpace::instance();
  std::byte* const begin = buffer.data - margin_bytes_;
  const std::size_t size_bytes = buffer.size_bytes + 2 * margin_bytes_;
  if (AddressSpace::is_sparse(address_of(begin))) {
    memory.release_sparse(begin, size_bytes);
  } else {
    memory.release(begin, size_bytes);
  }
}

void Buffers::check_size(std::size_t size_bytes) const {
  if (size_bytes == 0) throw DeviceError("a buffer must have at least 1 byte");
  if (size_bytes > largest_bytes_) {
    throw DeviceError(fmt::format("a buffer of {} is too large: the device allows {}",
                                  counted(size_bytes, "byte"), counted(largest_bytes_, "byte")));
  }
}

device::BufferId Buffers::allocate(std::size_t size_bytes) {
  check_size(size_bytes);
  auto& memory = AddressSpace::instance();
  const std::size_t whole = size_bytes + 2 * margin_bytes_;
  std::byte* const data =
      (whole > kLargestBuffer ? memory.allocate_sparse(whole) : memory.allocate(whole)) + margin_bytes_;
  device::fill_poison({data, size_bytes}, device::kPoison);
  return add({data, size_bytes});
}

device::BufferId Buffers::allocate_sparse(std::size_t size_bytes) {
  check_size(size_bytes);
  return add(
      {AddressSpace::instance().allocate_sparse(size_bytes + 2 * margin_bytes_) + margin_bytes_, size_bytes});
}

device::BufferId Buffers::add(const Buffer& buffer) {
  if (checker_ != nullptr) checker_->allocated(address_of(buffer.data), buffer.size_bytes);
  buffers_[next_] = buffer;
  return static_cast<device::BufferId>(next_++);
}

const Buffers::Buffer& Buffers::find(device::BufferId buffer) const {
  const auto found = buffers_.find(static_cast<std::uint32_t>(buffer));
  if (found == buffers_.end()) {
    throw DeviceError(fmt::format("there is no buffer {}: it was released, or belongs to another device",
                                  static_cast<std::uint32_t>(buffer)));
  }
  return found->second;
}

std::byte* Buffers::at(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) const {
  const Buffer& found = find(buffer);
  if (offset_bytes > found.size_bytes || size_bytes > found.size_bytes - offset_bytes) {
    throw DeviceError(fmt::format("bytes {} to {} are outside a buffer of {}", grouped(offset_bytes),
                                  grouped(offset_bytes + size_bytes), counted(found.size_bytes, "byte")));
  }
  return found.data + offset_bytes;
}

bool Buffers::is_sparse(device::BufferId buffer) const {
  return AddressSpace::is_sparse(address_of(find(buffer).data));
}

void Buffers::release(device::BufferId buffer) {
  const Buffer& found = find(buffer);
  if (checker_ != nullptr) checker_->released(address_of(found.data));
  give_back(found);
  buffers_.erase(static_cast<std::uint32_t>(buffer));
}

void Buffers::upload(device::BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) {
  std::byte* const begin = at(buffer, offset_bytes, data.size());
  if (data.empty()) return;
  std::memcpy(begin, data.data(), data.size());
  fill(buffer, offset_bytes, data.size());
  if (checker_ != nullptr) checker_->uploaded(address_of(begin), data.size());
}

void Buffers::repeat(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                     std::span<const std::byte> pattern) {
  std::byte* const begin = at(buffer, offset_bytes, size_bytes);
  const std::size_t fixed = AddressSpace::instance().repeat(begin, size_bytes, pattern);
  buffers_.at(static_cast<std::uint32_t>(buffer)).fixed = {offset_bytes, offset_bytes + fixed};
  fill(buffer, offset_bytes + fixed, size_bytes - fixed);
  if (checker_ != nullptr) checker_->uploaded(address_of(begin), size_bytes);
}

void Buffers::forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  std::byte* const begin = at(buffer, offset_bytes, size_bytes);
  device::fill_poison({begin, size_bytes}, device::kPoison, offset_bytes);
  fill(buffer, offset_bytes, size_bytes);
  if (checker_ != nullptr) checker_->forgotten(address_of(begin), size_bytes);
}

// Only of a sparse buffer is there more than nobody wants to look at.
void Buffers::fill(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  Buffer& one = buffers_.at(static_cast<std::uint32_t>(buffer));
  if (size_bytes == 0 || one.launched || !AddressSpace::is_sparse(address_of(one.data))) return;
  const device::ByteRange range{offset_bytes, offset_bytes + size_bytes};
  if (!one.filled.empty() && one.filled.back().end == range.begin) {
    one.filled.back().end = range.end;
  } else {
    one.filled.push_back(range);
  }
}

std::uint32_t Buffers::holding(std::uintptr_t address) const {
  const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const auto& one) {
    return address - address_of(one.second.data) < one.second.size_bytes;
  });
  return found == buffers_.end() ? 0 : found->first;
}

void Buffers::launched(std::uintptr_t address) {
  if (const auto number = holding(address)) buffers_.at(number).launched = true;
}

std::vector<std::span<std::byte>> Buffers::held(std::uintptr_t begin, std::size_t size_bytes) const {
  const auto number = holding(begin);
  auto* const data = reinterpret_cast<std::byte*>(begin);
  if (number == 0 || !AddressSpace::is_sparse(begin)) return {{data, size_bytes}};
  const Buffer& buffer = buffers_.at(number);
  const std::size_t from = begin - address_of(buffer.data), to = from + size_bytes;
  std::vector<std::span<std::byte>> all;
  const auto add = [&](std::size_t first, std::size_t end) {
    first = std::max(first, from);
    end = std::min(end, to);
    if (first < end) all.emplace_back(buffer.data + first, end - first);
  };
  if (!buffer.launched) {
    for (const auto& [first, end] : buffer.filled) add(first, end);
    return all;
  }
  const auto& fixed = buffer.fixed;
  for (const auto& [first, end] : {device::ByteRange{0, fixed.begin}, {fixed.end, buffer.size_bytes}}) {
    if (first >= end) continue;
    for (const auto& range : AddressSpace::instance().touched(buffer.data + first, end - first))
      add(first + range.begin, first + range.end);
  }
  return all;
}

std::vector<device::ByteRange> Buffers::touched(device::BufferId buffer, std::size_t offset_bytes,
                                                std::size_t size_bytes) const {
  auto ranges = AddressSpace::instance().touched(at(buffer, offset_bytes, size_bytes), size_bytes);
  for (auto& range : ranges) {
    range.begin += offset_bytes;
    range.end += offset_bytes;
  }
  return ranges;
}

}  // namespace assay::simulator
