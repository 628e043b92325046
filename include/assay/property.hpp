// Properties of one's own over a kernel's launches, with rapidcheck.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "assay/launch.hpp"
#include "properties/cases/generator.hpp"
#include "properties/cases/operation.hpp"

namespace assay {

using properties::Case;

/// The cases of a kernel: those that `verify` draws, the edges first. They shrink as its failures do: to the
/// smallest sizes, the simplest values. Throws std::invalid_argument where requirements and operation do not
/// fit.
inline rc::Gen<Case> cases_of(const KernelEntry& kernel) {
  return properties::generator_of(properties::operation_of(kernel).cases(properties::traits_of(kernel)));
}

/// The problem that a case of a kernel stands for: the same bytes on every machine.
inline Problem problem_of(const KernelEntry& kernel, const Case& test_case) {
  return properties::operation_of(kernel).make_problem(test_case);
}
/// The same of an operation that comes with Assay, or that a program has registered.
inline Problem problem_of(const Case& test_case) {
  return properties::find_operation(test_case.operation).make_problem(test_case);
}

/// One trial of a property. Copies of it are the same trial.
class Run {
 public:
  explicit Run(const KernelEntry& kernel, LaunchOptions options = {})
      : kernel_(kernel), options_(std::move(options)) {}

  const KernelEntry& kernel() const { return kernel_; }

  /// A problem that rapidcheck draws, shrinks when the property fails, and shows by its case.
  Problem problem() const { return problem_of(kernel_, *cases_of(kernel_).as("case")); }

  /// In a child process where the options say so: a crash is a failure of this trial (LaunchFailure).
  Outputs launch(const Problem& problem) const { return assay::launch(kernel_, problem, options_); }

  /// The set of right answers, an Expectation an output.
  std::vector<Expectation> expect(const Problem& problem) const {
    return properties::operation_of(kernel_).expect(problem, kernel_.arithmetic);
  }

 private:
  const KernelEntry& kernel_;
  LaunchOptions options_;
};

}  // namespace assay
