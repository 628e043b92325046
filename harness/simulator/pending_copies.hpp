// Asynchronous copies that lanes have begun and not waited for.
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "harness/metal/stdlib/assay/runtime.h"

namespace assay::simulator {

/// Those of one threadgroup. What nobody waits for is never done.
class PendingCopies {
 public:
  /// Stays where it is until it ends.
  assay_copy_t* begin(std::uint32_t thread) { return &pending_[thread].emplace_back(); }

  /// Does nothing if that thread has not begun it.
  void end(std::uint32_t thread, const assay_copy_t* copy) {
    pending_[thread].remove_if([&](const assay_copy_t& one) { return &one == copy; });
  }

  void clear() { pending_.clear(); }

 private:
  std::map<std::uint32_t, std::list<assay_copy_t>> pending_;
};

}  // namespace assay::simulator
