// An operation whose reference is a function of one's own program: what goes in and out is described as for
// describe_kernel(), and cases, values, shrinking and the rest are Assay's. docs/library.md has an example.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/kernel.hpp"
#include "assay/problem.hpp"

namespace assay {

/// Described without a `reference`: the fields of docs/own_operation.md, with the same meaning and checks.
struct OperationDescription {
  std::string name;
  std::vector<DimensionDescription> dimensions;
  std::vector<TensorDescription> tensors;
  /// What is right for a problem: an expectation for each tensor that is written, in their order. It follows
  /// from the inputs alone.
  std::function<std::vector<Expectation>(const Problem& problem)> expect;
  /// Changes inputs that were drawn as `tensors` say, for what they cannot say. Equal seeds give equal bytes.
  std::function<void(std::uint64_t seed, Problem& problem)> fill = {};
};

/// The elements of `right`, which has the name and the type of an output, and nothing else.
Expectation exactly(const Tensor& right);

/// Makes an operation known under its name, for as long as the program runs. Defined at namespace scope, in a
/// source file that is part of the program:
///
///   const assay::RegisterOperation kScaledSum({.name = "scaled_sum", ..., .expect = scaled_sum});
///
/// What is wrong with a description is a ManifestError when the operation is first asked for. A name that is
/// taken already ends the program with a line that says so.
class RegisterOperation {
 public:
  explicit RegisterOperation(OperationDescription description, SourceLine where = SourceLine::current());
};

}  // namespace assay
