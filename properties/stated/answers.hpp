// What says which results are right for an operation that a manifest states, and what may draw its values.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

class Answers {
 public:
  virtual ~Answers() = default;

  /// Compiles and starts what answering takes for kernels of this arithmetic. Called before a process is
  /// confined, more than once perhaps, and in processes that are forked from one in which it was. Throws what
  /// makes the reference unusable.
  virtual void prepare(const Arithmetic& arithmetic) = 0;

  /// As Operation::expect(): an expectation for each output and in_out tensor of the declaration. Throws
  /// Unjudgeable, and std::runtime_error where the reference itself fails.
  virtual std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) = 0;

  /// Changes the values of a problem that were drawn for a case. Does nothing where the reference draws none.
  virtual void fill(const Case& test_case, Problem& problem) = 0;
};

/// Makes the answers of an operation whose reference is a text.
using AnswersFactory = std::function<std::unique_ptr<Answers>(const std::shared_ptr<const StatedOperation>&)>;

/// Defined at namespace scope by the module that runs references: there is one.
class RegisterReferenceTexts {
 public:
  explicit RegisterReferenceTexts(AnswersFactory factory);
};

/// Throws std::invalid_argument in a program that has no module which runs references.
std::unique_ptr<Answers> answers_of_text(const std::shared_ptr<const StatedOperation>& stated);

/// Results of another kernel of the manifest, on the simulated device in fast mode.
std::unique_ptr<Answers> answers_of_kernel(const KernelEntry& kernel, double ulps);

}  // namespace assay::properties
