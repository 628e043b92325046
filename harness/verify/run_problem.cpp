#include "harness/verify/run_problem.hpp"

#include <algorithm>
#include <utility>

#include "harness/verify/binding.hpp"
#include "harness/verify/launch.hpp"

namespace assay {
namespace {

void join(std::vector<device::Fault>& into, std::vector<device::Fault>&& from) {
  for (device::Fault& fault : from) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const device::Fault& seen) {
      return seen.kind == fault.kind && seen.place == fault.place && seen.message == fault.message;
    });
    if (same == into.end()) {
      into.push_back(std::move(fault));
    } else {
      same->count += fault.count;
    }
  }
}

void merge(device::LaunchReport& into, device::LaunchReport&& from) {
  if (from.kernel_invocations) {
    into.kernel_invocations = into.kernel_invocations.value_or(0) + *from.kernel_invocations;
  }
  into.conditions = std::move(from.conditions);
  for (device::OldValue& old : from.old_values) {
    const auto same = std::find_if(into.old_values.begin(), into.old_values.end(), [&](const auto& seen) {
      return seen.load.place == old.load.place && seen.change.place == old.change.place;
    });
    if (same == into.old_values.end()) {
      into.old_values.push_back(std::move(old));
    } else {
      same->count += old.count;
    }
  }
  for (device::InactiveRead& read : from.inactive_reads) {
    const auto same = std::find_if(into.inactive_reads.begin(), into.inactive_reads.end(),
                                   [&](const auto& seen) { return seen.read.place == read.read.place; });
    if (same == into.inactive_reads.end()) into.inactive_reads.push_back(std::move(read));
  }
  join(into.faults, std::move(from.faults));
  join(into.undefined, std::move(from.undefined));
}

}  // namespace

RunResult run_problem(device::Device& device, device::KernelId kernel, const KernelEntry& entry,
                      const Problem& problem, unsigned launches) {
  const Binding binding(device, kernel, entry, problem);
  RunResult result;
  for (unsigned i = 0; i < launches; ++i) {
    auto report = launch(device, entry, problem, binding);
    if (i + 1 == launches) result.writers = binding.writers(report);
    merge(result.report, std::move(report));
  }
  result.outputs = binding.download_outputs();
  result.changed_inputs = binding.changed_inputs();
  return result;
}

}  // namespace assay
