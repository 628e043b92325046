// How long a child has said nothing.
#pragma once

#include <algorithm>
#include <chrono>

namespace assay::process {

/// Counts only while this program was awake to hear: a stretch in which it was stopped itself, or its machine
/// suspended, is nobody's silence.
class IdleTimer {
 public:
  using Clock = std::chrono::steady_clock;
  /// Those who ask, ask about this often (kPoll_ms): no stretch between two questions counts for more.
  static constexpr double kAwake_s = 1;

  void heard(Clock::time_point now = Clock::now()) {
    seconds_ = 0;
    last_ = now;
  }
  double seconds(Clock::time_point now = Clock::now()) {
    seconds_ += std::min(std::chrono::duration<double>(now - last_).count(), kAwake_s);
    last_ = now;
    return seconds_;
  }

 private:
  double seconds_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace assay::process
