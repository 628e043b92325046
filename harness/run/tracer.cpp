#include "harness/run/tracer.hpp"

#include <fmt/format.h>

#include "harness/verify/trace.hpp"

namespace assay::run {

void Tracer::operator()(const device::LaunchSnapshot& snapshot) const {
  if (problem_ == nullptr) return;
  reporter_.send({{"type", "trace"},
                  {"text", fmt::format("\n{}: {}\n{}", name_of(mode_), line_,
                                       assay::trace_text(entry_, *problem_, snapshot))}});
}

}  // namespace assay::run
