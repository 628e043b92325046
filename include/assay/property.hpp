// Properties of one's own over a kernel's launches, with rapidcheck.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "assay/launch.hpp"

namespace assay {

/// What a problem follows from: a line such as "operation=gemm_fp4 K=33 M=1 N=8 group_size=16 regime=probe
/// seed=17", as failures show it and replay() takes it.
struct Case {
  std::string line;

  bool operator==(const Case&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Case& test_case);

/// The cases of a kernel: those that `verify` draws, the edges first. They shrink as its failures do: to the
/// smallest sizes, the simplest values. Throws std::invalid_argument where requirements and operation do not
/// fit.
rc::Gen<Case> cases_of(const Kernel& kernel);

/// The problem that a case of a kernel stands for: the same bytes on every machine. Throws
/// std::invalid_argument that names the field when the case is none of its operation.
Problem problem_of(const Kernel& kernel, const Case& test_case);
/// The same of an operation that comes with Assay, or that a program has registered.
Problem problem_of(const Case& test_case);

/// The set of right answers for a problem of a kernel, an Expectation an output.
std::vector<Expectation> expect(const Kernel& kernel, const Problem& problem);

/// One trial of a property. Copies of it are the same trial.
class Run {
 public:
  explicit Run(Kernel kernel, LaunchOptions options = {})
      : kernel_(std::move(kernel)), options_(std::move(options)) {}

  const Kernel& kernel() const { return kernel_; }

  /// A problem that rapidcheck draws, shrinks when the property fails, and shows by its case.
  Problem problem() const { return problem_of(kernel_, *cases_of(kernel_).as("case")); }

  /// In a child process where the options say so: a crash is a failure of this trial (LaunchFailure).
  Outputs launch(const Problem& problem) const { return assay::launch(kernel_, problem, options_); }

  /// As assay::expect().
  std::vector<Expectation> expect(const Problem& problem) const { return assay::expect(kernel_, problem); }

 private:
  Kernel kernel_;
  LaunchOptions options_;
};

}  // namespace assay
