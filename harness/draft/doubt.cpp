#include "harness/draft/doubt.hpp"

#include <algorithm>

namespace assay::draft {
namespace {

/// The fault that the verdict is of; null where there is none.
const device::Fault* fault_of(Verdict verdict, const std::optional<Failure>& failure) {
  if (!failure) return nullptr;
  const auto found = std::find_if(failure->faults.begin(), failure->faults.end(),
                                  [&](const device::Fault& one) { return verdict_of(one.kind) == verdict; });
  return found == failure->faults.end() ? nullptr : &*found;
}

bool names(const device::Fault& fault, const std::string& object) {
  return fault.message.find('`' + object + '`') != std::string::npos;
}

/// Does it happen between threads of one threadgroup, or in memory that is theirs?
bool is_inside(const Draft& draft, const device::Fault& fault) {
  using device::FaultKind;
  const bool of_buffer = std::any_of(draft.buffers.begin(), draft.buffers.end(),
                                     [&](const DraftBuffer& one) { return names(fault, one.name); });
  switch (fault.kind) {
    case FaultKind::race:
      return fault.scope < 2;
    case FaultKind::out_of_bounds:
      return !of_buffer && fault.message.find("far from all memory") == std::string::npos;
    case FaultKind::uninitialised_read:
      return !of_buffer;
    case FaultKind::divergent_barrier:
    case FaultKind::misaligned:
    case FaultKind::over_budget:
      return true;
    default:
      return false;
  }
}

}  // namespace

void doubt(Draft& draft, Doubt::Of of, std::string name, std::string line) {
  draft.guesses.push_back(line);
  draft.doubts.push_back({of, std::move(name), std::move(line)});
}

std::vector<std::string> doubts_behind(const Draft& draft, Verdict verdict,
                                       const std::optional<Failure>& failure) {
  const device::Fault* const fault = fault_of(verdict, failure);
  const bool inside = fault != nullptr && is_inside(draft, *fault);
  const bool of_buffer =
      fault != nullptr && std::any_of(draft.buffers.begin(), draft.buffers.end(),
                                      [&](const DraftBuffer& one) { return names(*fault, one.name); });
  std::vector<std::string> lines;
  for (const Doubt& one : draft.doubts) {
    const bool behind = one.of == Doubt::Of::threads || one.of == Doubt::Of::constants ? true
                        : one.of == Doubt::Of::threadgroup_memory
                            ? fault == nullptr || names(*fault, one.name)
                        : one.of == Doubt::Of::indices ? !inside || of_buffer
                                                       : !inside;
    // How long a buffer is does not decide whether a kernel ends.
    const bool endless = verdict == Verdict::timeout && one.of == Doubt::Of::sizes;
    if (behind && !endless) lines.push_back(one.line);
  }
  return lines;
}

}  // namespace assay::draft
