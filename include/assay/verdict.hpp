// The verdict on a kernel and what explains it.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/launch_report.hpp"

namespace assay {

/// Ordered from best to worst within "judged"; `vacuous`, `unsupported` and `error` mean that nothing
/// could be judged, and are never green.
enum class Verdict {
  pass,
  wrong_result,
  law_broken,
  race,
  out_of_bounds,
  misaligned,
  uninitialised_read,
  undefined,
  divergent_barrier,
  deadlock,
  needs_residency,
  over_budget,
  claim_differs,
  timeout,
  crash,
  vacuous,
  unsupported,
  error,
};

/// "wrong result", "out of bounds", ... as printed and as written in manifests of expected verdicts.
std::string_view name_of(Verdict verdict);
/// Its name.
std::ostream& operator<<(std::ostream& out, Verdict verdict);
/// Inverse of name_of; throws std::invalid_argument that lists the names.
Verdict verdict_from_name(std::string_view name);
Verdict verdict_of(device::FaultKind kind);

/// 0 pass, 1 the kernel is rejected, 2 nothing could be judged.
int exit_status(Verdict verdict);

}  // namespace assay
