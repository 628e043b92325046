#include "harness/device/audited_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "harness/device/bytes.hpp"

namespace assay::device {
namespace {

/// "one bit of byte 3 is flipped (0x04 instead of 0x05)", "12 bytes from byte 4 on are others (...)".
std::string difference(std::span<const std::byte> expected, std::span<const std::byte> got) {
  std::size_t first = expected.size(), bytes = 0;
  int bits = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    first = std::min(first, i);
    ++bytes;
    bits += std::popcount(static_cast<unsigned>(expected[i] ^ got[i]));
  }
  const std::string instead = fmt::format("0x{:02x} instead of 0x{:02x}", static_cast<unsigned>(got[first]),
                                          static_cast<unsigned>(expected[first]));
  if (bits == 1) return fmt::format("one bit of byte {} is flipped ({})", first, instead);
  return fmt::format("{} of {} bytes are others, the first at {} ({})", bytes, expected.size(), first,
                     instead);
}

std::string transfer(const char* what, BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  return fmt::format("{} of {} bytes at byte {} of buffer {}", what, size_bytes, offset_bytes,
                     static_cast<std::uint32_t>(buffer));
}

}  // namespace

void AuditedDevice::upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) {
  inner().upload(buffer, offset_bytes, data);
  again_.resize(data.size());
  inner().download(buffer, offset_bytes, again_);
  if (same_bytes(again_, data)) return;
  throw DeviceError(transfer("upload", buffer, offset_bytes, data.size()) +
                    " does not read back as it was sent: " + difference(data, again_));
}

void AuditedDevice::download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  inner().download(buffer, offset_bytes, data);
  again_.resize(data.size());
  inner().download(buffer, offset_bytes, again_);
  if (same_bytes(again_, data)) return;
  throw DeviceError(transfer("download", buffer, offset_bytes, data.size()) +
                    " gives other bytes when it is repeated: " + difference(data, again_));
}

LaunchReport AuditedDevice::dispatch(const Dispatch& launch) {
  LaunchReport report = inner().dispatch(launch);
  const std::uint64_t threads = invocations_of(launch);
  const std::uint64_t ran = report.kernel_invocations.value_or(threads);
  if (!report.clean() || ran == threads) return report;
  if (ran == 0) {
    throw DeviceError(
        fmt::format("launch lost: none of its {} threads ran, and the device reports no fault", threads));
  }
  if (ran % threads == 0) {
    throw DeviceError(fmt::format("launch repeated: its {} threads ran {} times", threads, ran / threads));
  }
  throw DeviceError(fmt::format("launch incomplete: {} threads ran of a launch that has {}", ran, threads));
}

}  // namespace assay::device
