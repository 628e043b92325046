#include "harness/run/tracer.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/verify/trace.hpp"
#include "properties/cases/operation.hpp"

namespace assay::run {

void Tracer::operator()(const device::LaunchSnapshot& snapshot) const {
  if (problem_ == nullptr) return;
  auto text =
      fmt::format("\n{}: {}\n{}", name_of(mode_), line_, assay::trace_text(entry_, *problem_, snapshot));
  if (snapshot.moment == device::LaunchSnapshot::Moment::before) {
    for (const auto& warning : properties::operation_of(entry_).warnings(*problem_))
      text += "unusual: " + warning + "\n";
  }
  reporter_.send({{"type", "trace"}, {"text", std::move(text)}});
}

}  // namespace assay::run
