#include "harness/verify/failure.hpp"

#include <algorithm>

namespace assay {
namespace {

constexpr std::size_t kFaults = 5;

// The decisive first: excerpts come in this order.
std::vector<device::SourcePlace> places_of(const Failure& failure) {
  std::vector<device::SourcePlace> places;
  for (const auto& fault : failure.faults) {
    places.push_back(fault.place);
    for (const auto& access : fault.accesses) places.push_back(access.place);
    for (const auto& barrier : fault.barriers) places.push_back(barrier.place);
  }
  for (const auto& old : failure.old_values) {
    places.push_back(old.load.place);
    places.push_back(old.change.place);
  }
  return places;
}

}  // namespace

Failure failure_of(const Evidence& evidence, const std::optional<Tile>& tile) {
  Failure failure;
  failure.faults = by_cause(evidence.report);
  if (failure.faults.size() > kFaults) {
    failure.more_faults = failure.faults.size() - kFaults;
    failure.faults.resize(kFaults);
  }
  failure.old_values = evidence.report.old_values;
  for (const Comparison& comparison : evidence.comparisons) {
    if (!comparison.right()) failure.outputs.push_back(wrong_output_of(comparison, tile));
  }
  failure.inputs = evidence.inputs;
  for (const std::string& input : evidence.changed_inputs)
    failure.remarks.push_back("the kernel wrote to its input " + input);
  auto places = places_of(failure);
  for (const auto& read : inactive_reads_behind(evidence)) {
    failure.remarks.push_back(describe(read));
    places.push_back(read.read.place);
  }
  for (const BitDifference& difference : untold_differences(evidence))
    failure.remarks.push_back(describe(difference));
  failure.sources = excerpts_around(places);
  return failure;
}

Failure failure_at(const std::optional<device::SourcePlace>& place, std::string test_case) {
  Failure failure;
  failure.test_case = std::move(test_case);
  if (place) failure.sources = excerpts_around({*place});
  return failure;
}

}  // namespace assay
