// Results that Metal leaves undefined, where an operation has one all the same: whole numbers divided by
// zero, and signed sums and products that their type does not hold.
//
// They have a value, the same in every launch and mode, and are noted without a word. Where results are wrong
// they are what is blamed (device::LaunchReport::undefined); whether anything depends on them, a run in which
// they have other values shows (SimulatedGpu::dispatch).
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "assay/device/launch_report.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::simulator {

/// Of a division that has no result. Odd, and far from what kernels count in every type.
inline constexpr std::uint64_t kQuotient = 0xDBD1E995A7C4D3B9u;

/// Ends the running lane, with the fault of a shift or a conversion that has no result.
[[noreturn]] void end_undefined_lane();

class UndefinedResults {
 public:
  enum class Of { division, overflow };

  /// `others`: they have other values than they always have, in every width and of another sign.
  explicit UndefinedResults(bool others = false) : others_(others) {}

  /// That the running lane has computed one at a code address, and what it is given in place of `usual`.
  /// What is seen at more than 64 addresses is not noted.
  std::uint64_t note(Of of, std::uint64_t usual, std::uintptr_t address);

  /// A fault for each line.
  std::vector<device::Fault> faults(const metal::KernelModule& module);

 private:
  struct Note {
    std::uintptr_t address = 0;
    Of of{};
    std::uint64_t count = 0, moment = 0;
    std::uint32_t thread = 0;
    std::array<std::uint32_t, 3> threadgroup{};
  };

  std::mutex lock_;
  std::array<Note, 64> notes_{};
  bool others_;
};

}  // namespace assay::simulator
