#include "harness/draft/doubt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace assay::draft {
namespace {

/// The fault that the verdict is of; null where there is none.
const device::Fault* fault_of(Verdict verdict, const std::optional<Failure>& failure) {
  if (!failure) return nullptr;
  const auto found = std::find_if(failure->faults.begin(), failure->faults.end(),
                                  [&](const device::Fault& one) { return verdict_of(one.kind) == verdict; });
  return found == failure->faults.end() ? nullptr : &*found;
}

bool is_about(const device::Fault& fault, const DraftBuffer& buffer) {
  return !fault.object.empty() && (fault.object == buffer.name || fault.object == buffer.path);
}

bool is_of_buffer(const Draft& draft, const device::Fault& fault) {
  return std::any_of(draft.buffers.begin(), draft.buffers.end(),
                     [&](const DraftBuffer& one) { return is_about(fault, one); });
}

/// Does it happen between threads of one threadgroup, or in memory that is theirs?
bool is_inside(const Draft& draft, const device::Fault& fault) {
  using device::FaultKind;
  const bool of_buffer = is_of_buffer(draft, fault);
  switch (fault.kind) {
    case FaultKind::race:
      return fault.scope < 2;
    case FaultKind::out_of_bounds:
      return !of_buffer && !fault.stray;
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

bool is_float(const std::string& type) { return type == "half" || type == "float" || type == "bfloat"; }

/// Of a dimension of the case: "buffers M=1 N=129". 0 where it has none of that name.
std::int64_t size_in(const std::string& test_case, const std::string& name) {
  std::istringstream words(test_case);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + '=')) return std::strtoll(word.c_str() + name.size() + 1, nullptr, 10);
  }
  return 0;
}

/// Whether nothing is wrong with this output but that some of it was never written.
bool is_unwritten(const Failure& failure, const std::string& output) {
  return std::any_of(failure.outputs.begin(), failure.outputs.end(), [&](const WrongOutput& one) {
    return one.tensor == output && one.wrong > 0 && one.wrong == one.never_written;
  });
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
  const bool of_buffer = fault != nullptr && is_of_buffer(draft, *fault);
  const auto is_behind = [&](const Doubt& one) {
    switch (one.of) {
      case Doubt::Of::threads:
      case Doubt::Of::constants:
        return true;
      case Doubt::Of::threadgroup_memory:
        return fault == nullptr || fault->object == one.name;
      case Doubt::Of::indices:
        return !inside || of_buffer;
      case Doubt::Of::multiple:
        // Halves of an odd row overlap, so that threads meet in a buffer, too.
        return (!inside || of_buffer) && failure &&
               size_in(failure->test_case, one.name) % one.of_multiple != 0;
      case Doubt::Of::grid:
        return verdict == Verdict::wrong_result && failure && is_unwritten(*failure, one.name);
      case Doubt::Of::sizes:
        // How long a buffer is does not decide whether a kernel ends. It may decide whether two threads write
        // to one element of it: rows overlap where a stride is less than their length.
        return (!inside || (of_buffer && fault->object == one.name)) && verdict != Verdict::timeout;
    }
    return false;
  };
  std::vector<std::string> lines;
  for (const Doubt& one : draft.doubts) {
    if (is_behind(one)) lines.push_back(one.line);
  }
  // Whether a shift, a conversion or a sum is undefined, the values decide: of what nobody has told, any are
  // drawn.
  for (const DraftBuffer& one : draft.buffers) {
    if (verdict != Verdict::undefined || one.access == "out" || !one.values.empty()) continue;
    lines.push_back(
        fmt::format("{} was guessed to hold any {}; if it does not, say what it holds with {} {}=FROM..TO",
                    one.name, is_float(one.type) ? "numbers, infinity and NaN among them" : "whole numbers",
                    one.option(), one.name));
  }
  return lines;
}

}  // namespace assay::draft
