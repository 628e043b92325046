// How a device is asked for: what it is to watch, and how it is to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "assay/device/device.hpp"

namespace assay::metal {
class KernelModule;
}

namespace assay::device {

/// What a device does beside running kernels.
enum class Mode {
  fast,     ///< nothing: as fast as the machine allows; several threads
  checked,  ///< every access is checked; one thread, so that reports do not depend on timing
  counted,  ///< every access is counted and none checked; one thread
};

/// What the compiler may do to floating-point arithmetic. Metal's compilers do all of it unless told
/// otherwise (docs/numerics.md), so a kernel must be right under each.
enum class Numerics {
  strict,        ///< each operation rounds once, in the order and the type it is written in
  contracted,    ///< a * b + c rounds once
  reassociated,  ///< sums and products are regrouped and reordered: (a - b) - c may become (a - c) - b
  relaxed,       ///< both of these, in whatever mixture, and quotients by way of the reciprocal
  approximate,   ///< as strict; fast functions and quotients are as far off as Metal's tables grant
  flushed,       ///< as strict; subnormal operands and results of arithmetic become zero of their sign
};

/// How many rounds the loops of a kernel may go that was compiled to count them
/// (harness/metal/ir/steps.hpp). The one that begins a round too many ends its process by SIGPROF, as one
/// ends that has used up its processor time.
struct LoopBudget {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
};

/// Devices ignore what they cannot do, and say in capabilities() what that is.
struct DeviceOptions {
  Mode mode = Mode::fast;
  Numerics numerics = Numerics::strict;  ///< how kernels are compiled
  unsigned threads = 1;                  ///< OS threads for fast mode; results do not depend on it
  /// How threadgroups that meet (at atomics, fences, barriers over device memory) are interleaved, where a
  /// launch does not say; 0: each runs on until it has to wait for another.
  std::uint64_t schedule = 0;
  /// In counted mode: of each buffer nothing but Traffic::end_bytes, loaded_bytes and stored_bytes, and of
  /// threadgroup memory nothing. Several times as fast.
  bool only_reach = false;
  bool writers = false;  ///< in checked mode: LaunchReport::writers
  /// In checked mode: watch the variables of each thread's own that are declared without a value, too. Slow.
  bool private_variables = false;
  /// In checked mode: told of each fault when it is seen first. The launch may never come to its report.
  std::function<void(const Fault&)> fault_seen = {};
  /// Of kernels that count them: read ahead of each launch, and what is left of it is written behind.
  std::shared_ptr<LoopBudget> loop_budget = {};
  /// Of kernels that note their conditions (harness/metal/text/branches.hpp): so many are told of
  /// (LaunchReport::conditions).
  std::size_t conditions = 0;
  Limits limits;
  /// So many bytes of nothing lie ahead of and behind each buffer: as many as the guards of another device
  /// take, so that buffers have the same addresses there.
  std::size_t margin_bytes = 0;
  /// How kernels are made of their text, where not by metal::compile().
  std::function<std::shared_ptr<const metal::KernelModule>(const KernelSource&)> compile{};
};

}  // namespace assay::device
