#include "harness/draft/doubt.hpp"

#include <algorithm>
#include <sstream>

namespace assay::draft {
namespace {

/// Is it said of this buffer that some of it was never written, or that it is an input that was written to?
bool is_said_of(const Failure& failure, const std::string& buffer) {
  const bool wrong = std::any_of(failure.outputs.begin(), failure.outputs.end(),
                                 [&](const WrongOutput& one) { return one.tensor == buffer; });
  return wrong || std::any_of(failure.remarks.begin(), failure.remarks.end(),
                              [&](const std::string& one) { return one.find(buffer) != std::string::npos; });
}

bool is_behind(const Draft& draft, const Doubt& one, Verdict verdict, const device::Fault* fault,
               const std::optional<Failure>& failure) {
  const DraftBuffer* const buffer = draft.find(one.name);
  const bool of_fault =
      fault == nullptr || fault->object == one.name || (buffer != nullptr && is_about(*fault, *buffer));
  switch (one.of) {
    case Doubt::Of::threadgroup_memory:
      return fault == nullptr || fault->object == one.name;
    case Doubt::Of::extent:
      return fault == nullptr ? failure && is_said_of(*failure, one.name)
                              : of_fault && verdict == Verdict::out_of_bounds;
    case Doubt::Of::access:
      return fault == nullptr ? failure && is_said_of(*failure, one.name)
                              : of_fault && fault->kind == device::FaultKind::uninitialised_read;
    case Doubt::Of::floats:
      return verdict == Verdict::undefined;
    case Doubt::Of::multiple:
      return failure && size_in(failure->test_case, one.name) % one.of_multiple != 0;
    default:
      return true;
  }
}

}  // namespace

std::int64_t size_in(const std::string& test_case, const std::string& name) {
  std::istringstream words(test_case);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + '=')) return std::strtoll(word.c_str() + name.size() + 1, nullptr, 10);
  }
  return 0;
}

const device::Fault* fault_of(Verdict verdict, const std::optional<Failure>& failure) {
  if (!failure) return nullptr;
  const auto found = std::find_if(failure->faults.begin(), failure->faults.end(),
                                  [&](const device::Fault& one) { return verdict_of(one.kind) == verdict; });
  return found == failure->faults.end() ? nullptr : &*found;
}

bool is_about(const device::Fault& fault, const DraftBuffer& buffer) {
  return !fault.object.empty() && (fault.object == buffer.name || fault.object == buffer.path);
}

void doubt(Draft& draft, Doubt::Of of, std::string name, std::string line) {
  draft.guesses.push_back(line);
  untold(draft, of, std::move(name), std::move(line));
}

void untold(Draft& draft, Doubt::Of of, std::string name, std::string line) {
  draft.doubts.push_back({of, std::move(name), std::move(line)});
}

std::vector<const Doubt*> doubts_behind(const Draft& draft, Verdict verdict,
                                        const std::optional<Failure>& failure) {
  const device::Fault* const fault = fault_of(verdict, failure);
  std::vector<const Doubt*> behind;
  for (const Doubt& one : draft.doubts) {
    if (is_behind(draft, one, verdict, fault, failure)) behind.push_back(&one);
  }
  return behind;
}

}  // namespace assay::draft
