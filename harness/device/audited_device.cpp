#include "assay/device/audited_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "harness/device/bytes.hpp"
#include "harness/device/grouped.hpp"

namespace assay::device {
namespace {

/// "one bit of byte 3 is flipped (0x04 instead of 0x05)", "12 of 64 bytes differ, the first is byte 4 (...)".
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
  if (bits == 1) return fmt::format("one bit of byte {} is flipped ({})", grouped(first), instead);
  return fmt::format("{} of {} differ, the first is byte {} ({})", grouped(bytes),
                     counted(expected.size(), "byte"), grouped(first), instead);
}

std::string transfer(const char* what, BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  return fmt::format("the {} of {} at byte {} of buffer {}", what, counted(size_bytes, "byte"),
                     grouped(offset_bytes), static_cast<std::uint32_t>(buffer));
}

}  // namespace

std::string AuditedDevice::fault_of(BufferId buffer, std::size_t offset_bytes,
                                    std::span<const std::byte> data) {
  std::vector<std::byte> got;  // from the first difference on
  for (std::size_t begin = 0; begin < data.size(); begin += kPieceBytes) {
    const auto piece = data.subspan(begin, std::min(kPieceBytes, data.size() - begin));
    again_.resize(piece.size());
    inner().download(buffer, offset_bytes + begin, again_);
    if (same_bytes(again_, piece)) continue;
    if (got.empty()) got.assign(data.begin(), data.end());
    std::ranges::copy(again_, got.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return got.empty() ? "" : difference(data, got);
}

void AuditedDevice::upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) {
  inner().upload(buffer, offset_bytes, data);
  const std::string fault = fault_of(buffer, offset_bytes, data);
  if (fault.empty()) return;
  throw DeviceError(transfer("upload", buffer, offset_bytes, data.size()) +
                    " reads back other bytes than were sent: " + fault);
}

void AuditedDevice::download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) {
  inner().download(buffer, offset_bytes, data);
  const std::string fault = fault_of(buffer, offset_bytes, data);
  if (fault.empty()) return;
  throw DeviceError(transfer("download", buffer, offset_bytes, data.size()) +
                    " gives other bytes the second time: " + fault);
}

LaunchReport AuditedDevice::dispatch(const Dispatch& launch) {
  LaunchReport report = inner().dispatch(launch);
  const std::uint64_t threads = invocations_of(launch);
  const std::uint64_t ran = report.kernel_invocations.value_or(threads);
  if (!report.clean() || ran == threads) return report;
  if (ran == 0) {
    throw DeviceError(
        fmt::format("the device lost a launch: none of its {} ran, and the device reports no fault",
                    counted(threads, "thread")));
  }
  if (ran % threads == 0) {
    throw DeviceError(fmt::format("the device repeated a launch: its {} ran {} times",
                                  counted(threads, "thread"), ran / threads));
  }
  throw DeviceError(fmt::format("the device did not finish a launch: {} of its {} ran", grouped(ran),
                                counted(threads, "thread")));
}

}  // namespace assay::device
