// One case tried on one kernel: generate, run, hold against the reference, judge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/run_problem.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {

/// A device to run on, and the pattern that its fresh memory holds. A second bench with another pattern shows
/// what depends on memory that nobody wrote: its bits must be those of the first.
struct TestDevice {
  device::Device* device = nullptr;
  std::uint16_t poison = device::kPoison;
  /// Another view of the first bench's device, which takes the kernels that are loaded there. It is run only
  /// where elements seem never to have been written, to tell them from copies of the pattern.
  bool when_asked = false;
};

/// A problem that was not drawn, and what its source says is right for it.
struct Given {
  Problem problem;
  std::vector<Expectation> expected;
};

struct TrialResult {
  Outcome outcome;
  Evidence evidence;
  std::vector<Tensor> outputs;        ///< of the first bench
  std::vector<Expectation> expected;  ///< of Trial::run with a case or a problem alone
  bool telling = false;               ///< a kernel that writes nothing, or zeros, would have been rejected
  Coverage coverage;                  ///< of a large case: what its sample reached
};

/// A kernel under test. Devices must outlive it.
class Trial {
 public:
  /// Loads the kernel on every bench. Throws what Device::load throws, std::invalid_argument (unknown
  /// operation, requirements that do not fit it) and ManifestError (arguments that it lacks).
  Trial(const KernelEntry& entry, std::vector<TestDevice> devices);
  /// The same where the devices' compiler makes of the entry's arithmetic what is said.
  Trial(const KernelEntry& entry, std::vector<TestDevice> devices, const Arithmetic& compiled);

  const Operation& operation() const { return operation_; }
  const KernelEntry& entry() const { return entry_; }
  /// What results are judged by.
  const Arithmetic& arithmetic() const { return arithmetic_; }
  /// The cases for this kernel, edges first.
  CaseSpace cases() const { return operation_.cases(traits_of(entry_)); }

  /// Where the device fails, the verdict is `error` and says how: the kernel is not judged. A large case
  /// (large_problem.hpp) is run as a sample of its threadgroups; of that there are no outputs.
  TrialResult run(const Case& problem) const;
  /// The same for a problem from elsewhere, against the reference or against what its source says is right.
  TrialResult run(const Problem& problem) const;
  TrialResult run(const Problem& problem, const std::vector<Expectation>& expected) const;

  /// Runs it on the first bench and judges nothing.
  RunResult outputs(const Problem& problem) const;

  /// What a person reads when `result` of these dimensions is a rejection.
  std::string report(const Dims& dims, const TrialResult& result, const std::string& replay) const;

 private:
  TrialResult try_on_benches(const Problem& problem, const std::vector<Expectation>& expected) const;
  std::vector<Comparison> compared(const std::vector<Tensor>& outputs,
                                   const std::vector<Expectation>& expected, FreshMemory fresh,
                                   const std::vector<Tensor>* second, bool inactive_reads) const;
  std::vector<Tensor> when_asked(const Problem& problem) const;

  KernelEntry entry_;  // with its words settled
  const Operation& operation_;
  Arithmetic arithmetic_;
  std::vector<TestDevice> devices_;
  std::vector<device::KernelId> kernels_;
  std::optional<TestDevice> asked_;
};

/// Checks an entry against its operation without running anything. Throws as the constructor of Trial does,
/// less the device.
void check_entry(const KernelEntry& entry);

/// The entry with what its operation makes of its words (settle_semantics). Throws ManifestError.
KernelEntry settled(KernelEntry entry);

}  // namespace assay::properties
