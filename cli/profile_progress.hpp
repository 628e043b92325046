// How far kernels are counted, for commands that do so.
#pragma once

#include <string>

#include "harness/profile/profiler.hpp"
#include "harness/verify/pace.hpp"

namespace assay::cli {

/// Keeps account of kernels that are counted.
class ProfileProgress {
 public:
  void at(const profile::ProfileStep& step) {
    done_ = step.done;
    of_ = step.of;
  }
  /// "5 of 34 kernels counted, 1.2 a second, about 24 s left: gemm_fp4".
  std::string line(const profile::ProfileStep& step) const;
  /// "gemm_fp4: counted in 0.8 s", a line.
  static std::string detail(const profile::ProfileStep& step);
  /// "5 of 34 kernels were counted".
  std::string words() const;

 private:
  std::size_t done_ = 0, of_ = 0;
  Stopwatch clock_;
};

}  // namespace assay::cli
