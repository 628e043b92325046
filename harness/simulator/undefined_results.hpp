// Results that Metal leaves undefined, where an operation has one all the same: whole numbers divided by
// zero, and signed sums and products that their type does not hold.
//
// They are given a value that is another in each launch, so that what comes of it differs, and are noted
// without a word: only where a result is wrong are they a fault (device::LaunchReport::undefined).
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "harness/device/launch_report.hpp"
#include "harness/metal/module.hpp"

namespace assay::simulator {

class UndefinedResults {
 public:
  enum class Of { division, overflow };

  /// That the running lane has computed one at a code address, and what it is given. Called from a handler of
  /// signals too, so it asks for no memory. What is seen at more than 64 addresses is not noted.
  std::uint64_t note(Of of, std::uintptr_t address);

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
  static std::uint64_t next_launch();

  std::mutex lock_;
  std::array<Note, 64> notes_{};
  std::uint64_t launch_ = next_launch();
};

/// Has traps of kernels, which code has in place of undefined operations, lead to a fault of the lane that
/// runs, and gives divisions by zero a value, in place of an end of the process. Of signals that come from
/// elsewhere, what was there before is told. To be called before each launch, since others set handlers too.
void watch_traps();

}  // namespace assay::simulator
