// What a person reads when a kernel is rejected.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// A rejected case; what it refers to must outlive it.
struct RejectedCase {
  const KernelEntry& entry;
  const Dims& dims;    ///< of the case
  std::string replay;  ///< the command line that shows the failure again
  const Evidence& evidence;
  const Outcome& outcome;
};

/// Plain ASCII in lines of at most 100 characters, the replay line excepted: kernel, verdict, case and replay
/// line; each fault with its place, its source line and both accesses; each wrong output with its rows and
/// columns, a few elements and a map; inputs that are small enough. What is left out for length is counted.
std::string failure_text(const RejectedCase& failure);

/// The part of it on faults of a launch, and on old values that atomic loads returned.
std::string faults_text(const device::LaunchReport& report);

/// The line of a text that is remembered (device::remember_source), "        31 | for (;;) {", in plain
/// ASCII;
/// "" where there is none.
std::string quote_source(const device::SourcePlace& place);

/// Ascending numbers in few words: "0-15, 32, 40-47", "0-56 in steps of 8".
std::string ranges(const std::vector<std::size_t>& numbers);

/// "M=65 N=130 K=64 group_size=32": M, N and K first.
std::string to_text(const Dims& dims);

}  // namespace assay
