// What is wrong with a kernel whose results are wrong, in words, from probes made for the purpose.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "properties/cases/trial.hpp"

namespace assay::properties {

/// What diagnosis asks of the device beyond a trial.
struct Probing {
  /// Called before each probe, to set what the case decides of the device.
  std::function<void(const Case&)> before_each = {};
  /// Who stores the elements of a problem's outputs; without it, no simdgroup is named.
  std::function<LastWriters(const Problem&)> writers = {};
  /// Of a case whose problem is no drawn one (Case::golden): the problem. Throws Unjudgeable.
  std::function<Given(const Case&)> given = {};
};

/// Findings, most telling first, each of whole sentences in plain ASCII; at most five. Runs the probes and
/// `failing`, and says
///   - whether it takes a certain order of threads to show the fault (plain_order.hpp);
///   - which other problem the kernel's results are right for (counterfactual.hpp), where that explains two
///     probes or more and what is failing among them;
///   - what the wrong elements share that right ones do not (separate.hpp), and how what they hold follows
///     from what they should;
///   - that single weights all arrive, where only sums are wrong;
///   - whether the failing case is right without its infinities and NaN (finite_neighbours.hpp).
/// Empty where no probe is wrong.
std::vector<std::string> diagnose(const Trial& trial, const std::vector<Case>& failing,
                                  const Probing& probing = {});

/// Findings as the end of a report; "" where there are none.
std::string diagnosis_text(const std::vector<std::string>& findings);

}  // namespace assay::properties
