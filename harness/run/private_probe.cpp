#include "harness/run/private_probe.hpp"

#include <algorithm>
#include <set>

#include "assay/device/decorator.hpp"
#include "harness/verify/run_problem.hpp"

namespace assay::run {
namespace {

/// So many variables are tried, each in a run.
constexpr std::size_t kMostTried = 16;

/// Gives one variable other garbage.
class OddOneOut final : public device::DeviceDecorator {
 public:
  OddOneOut(device::Device& inner, std::uint32_t variable) : DeviceDecorator(inner), variable_(variable) {}
  device::LaunchReport dispatch(const device::Dispatch& launch) override {
    device::Dispatch odd = launch;
    odd.odd_variable = variable_;
    return inner().dispatch(odd);
  }

 private:
  std::uint32_t variable_;
};

bool same_faults(const std::vector<device::Fault>& one, const std::vector<device::Fault>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const auto& a, const auto& b) {
    return a.kind == b.kind && a.place == b.place && a.message == b.message && a.count == b.count;
  });
}

bool same_outcome(const RunResult& one, const RunResult& other) {
  return same_faults(one.report.faults, other.report.faults) && one.changed_inputs == other.changed_inputs &&
         std::equal(one.outputs.begin(), one.outputs.end(), other.outputs.begin(), other.outputs.end(),
                    [](const auto& a, const auto& b) { return a.data == b.data; });
}

}  // namespace

PrivateProbe::PrivateProbe(const KernelEntry& entry, std::string_view device)
    : entry_(entry),
      probe_(load_probe(entry, device, &device::DeviceOptions::private_variables,
                        &device::Capabilities::private_variables)) {}

std::vector<device::Fault> PrivateProbe::operator()(const Problem& problem,
                                                    const std::function<void()>& before_each) try {
  std::vector<device::Fault> named;
  if (!probe_.device) return named;
  before_each();
  const RunResult seen = run_problem(*probe_.device, probe_.kernel, entry_, problem);
  std::set<std::uint32_t> tried;
  for (const device::Fault& fault : seen.report.faults) {
    if (!fault.variable || tried.size() >= kMostTried || !tried.insert(*fault.variable).second) continue;
    OddOneOut odd(*probe_.device, *fault.variable);
    before_each();
    if (same_outcome(seen, run_problem(odd, probe_.kernel, entry_, problem))) continue;
    named.push_back(fault);
  }
  return named;
} catch (const std::exception&) {
  return {};
}

}  // namespace assay::run
