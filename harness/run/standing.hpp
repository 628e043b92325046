// How far a verification has come, and how long the rest will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/mode.hpp"

namespace assay::run {

/// What a progress line says. A run is one kernel in one mode.
struct Standing {
  std::uint64_t cases = 0;       ///< that have ended, of all runs
  std::size_t runs = 0, of = 0;  ///< that have ended, and all there are
  double seconds = 0;            ///< since the beginning
  std::optional<double> left_s;  ///< until the end; nothing while too little is known
  std::string current;           ///< "gemm_fp4 checked, case 23 of 250"
};

/// Keeps account of runs. How long a run takes is known once it has ended, guessed from its share of cases
/// while it goes on, and before that guessed from the others in the same mode.
class StandingBook {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StandingBook(unsigned jobs, Clock::time_point now = Clock::now()) : jobs_(jobs), begun_(now) {}

  /// Adds a run to come; gives its number.
  std::size_t add(Mode mode);
  void at(std::size_t run, const std::string& kernel, std::uint64_t index, std::uint64_t of,
          Clock::time_point now = Clock::now());
  void ended(std::size_t run, std::uint64_t cases, double seconds);

  Standing standing(Clock::time_point now = Clock::now()) const;

 private:
  struct Run {
    Mode mode = Mode::fast;
    std::uint64_t index = 0, of = 0;              // of = 0: not begun
    std::optional<Clock::time_point> since = {};  // its first case
    std::optional<double> took = {};              // once it has ended
  };

  unsigned jobs_;
  Clock::time_point begun_;
  std::vector<Run> runs_;
  std::uint64_t cases_ = 0;  // of runs that have ended
  std::string current_;
};

}  // namespace assay::run
