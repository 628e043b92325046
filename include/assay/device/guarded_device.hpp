// A decorator that puts guard zones on both sides of every buffer and poisons fresh memory.
//
// It sees writes past the ends of a buffer on any device, also where the device itself checks nothing. Reads
// leave no trace: those are for a checking device to report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "assay/device/decorator.hpp"

namespace assay::device {

/// A second pattern for fresh memory: finite in every type, so that garbage which a NaN hides (in fmax, in a
/// comparison) shows as other bits when a case is run again on it.
inline constexpr std::uint16_t kSecondPoison = 0x5A3C;

struct GuardOptions {
  /// Of each of the two zones; a positive multiple of 256, so that alignment stays as the device gives it.
  std::size_t guard_bytes = 4096;
  /// What a fresh buffer holds, repeated.
  std::uint16_t poison = kPoison;
  /// Off for a device that poisons by itself and tells uninitialised memory from memory the host wrote.
  bool fill_interior = true;
};

class GuardedDevice : public DeviceDecorator {
 public:
  /// `inner` must outlive this. Throws std::invalid_argument for a guard size that is no multiple of 256.
  explicit GuardedDevice(Device& inner, GuardOptions options = {});

  /// As the inner device's, less the guard zones of one buffer.
  Limits limits() const override;
  Capabilities capabilities() const override {
    auto can = inner().capabilities();
    can.poisons = options_.poison == kPoison;
    return can;
  }
  BufferId allocate(std::size_t size_bytes) override;
  BufferId allocate_sparse(std::size_t size_bytes) override;
  void release(BufferId buffer) override;

  /// Ranges are checked against the buffer: outside of it is a DeviceError, as is a foreign handle.
  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;
  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;
  void gather(BufferId buffer, std::span<const ByteRange> ranges, std::span<std::byte> data) override;
  void upload_repeated(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                       std::span<const std::byte> pattern) override;
  void forget(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override;
  std::vector<ByteRange> touched(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override;

  /// Slices are range-checked and shifted. Afterwards the guards of every live buffer are checked: each zone
  /// that changed becomes one out_of_bounds fault, and is repaired so that the next launch starts clean.
  LaunchReport dispatch(const Dispatch& launch) override;

 private:
  enum class Side { before, after };

  BufferId guarded(std::size_t size_bytes, bool sparse);
  /// Gives the inner device's bytes from `inside` on what fresh memory holds at `offset_bytes` of the buffer.
  void poison(BufferId buffer, std::size_t inside, std::size_t offset_bytes, std::size_t size_bytes);
  std::size_t size_of(BufferId buffer) const;
  std::size_t checked_offset(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                             const char* what) const;
  std::size_t zone_offset(Side side, std::size_t size_bytes) const;
  void check(BufferId buffer, std::size_t size_bytes, Side side, const Dispatch& launch,
             LaunchReport& report);

  GuardOptions options_;
  std::vector<std::byte> before_, after_;  // what intact zones hold
  std::vector<std::byte> scratch_;
  std::map<BufferId, std::size_t> sizes_;  // of live buffers, without guards
};

}  // namespace assay::device
