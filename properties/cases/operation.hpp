// An operation that kernels implement: what goes in, what must come out, and which cases to try.
//
// A new operation is a class in a file of its own that registers itself (RegisterOperation), in
// properties/operations/ or in anybody's program; what it computes stands in reference/.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/binding.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/cases/exhaustive.hpp"
#include "properties/cases/part.hpp"
#include "properties/cases/space.hpp"
#include "properties/cases/traits.hpp"
#include "properties/diagnosis/coordinate.hpp"
#include "properties/diagnosis/counterfactual.hpp"

namespace assay::properties {

/// Nothing can be said about this problem under this arithmetic: the verdict is `vacuous`, never `pass`.
class Unjudgeable : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

/// An output whose every bit is known, and what else is said of it.
struct ExactOutput {
  Expectation expected;  ///< without elements
  Tensor tensor;
};

class Operation {
 public:
  explicit Operation(OperationDeclaration declaration);
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const std::string& name() const { return declaration_.name; }
  const OperationDeclaration& declaration() const { return declaration_; }

  /// Names of the scalar arguments that a kernel of this operation may take: its dimensions and counts.
  std::vector<std::string> scalars() const;

  /// The names that a kernel's arguments may use, to check a manifest entry before any problem is made.
  ArgumentNames argument_names() const;

  /// The cases to try on a kernel, as values that shrink. Throws std::invalid_argument that names the field
  /// when the kernel's requirements do not fit the operation.
  CaseSpace cases(const KernelTraits& traits, Budget budget = {}) const;

  /// Throws std::invalid_argument, as cases() does, and where even the smallest case that the kernel's
  /// requirements allow is larger than any that is drawn.
  void check_kernel(const KernelTraits& traits) const;

  /// The problem that a case stands for: the same bytes on every machine. Throws std::invalid_argument that
  /// names the field when the case is none of this operation, before anything is allocated.
  Problem make_problem(const Case& test_case) const;

  /// Whether a case is one of this operation, without making its problem. Throws as make_problem().
  void check_case(const Case& test_case) const;

  /// Throws std::invalid_argument unless each knob of a checked case is at most the largest that is drawn for
  /// a kernel of this arithmetic: beyond it values mean nothing.
  void check_knobs(const Case& test_case, const Arithmetic& arithmetic) const;

  /// What the regime of a checked case is good for, in a line.
  std::string_view about(const Case& test_case) const { return regime_of(test_case).about; }

  /// Sets the counts among the dimensions of a problem to what its tensors say.
  void settle_counts(Problem& problem) const;

  /// For problems from files: throws std::invalid_argument that names the tensor or dimension unless
  /// dimensions are legal and every input has the type and the shape that follow from them.
  void check_problem(const Problem& problem) const;

  /// Starts what expect() for this arithmetic and make_problem() need that a confined process cannot start.
  /// May be called often.
  virtual void prepare(const Arithmetic&) const {}

  /// Whether expect() says what is right. Where it does not, any result passes that is written and follows
  /// from the inputs alone.
  virtual bool has_answers() const { return true; }

  /// What is right for a problem, for each output and in_out tensor. It follows from the inputs alone, so it
  /// serves problems from files as well. Throws Unjudgeable.
  virtual std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const = 0;

  /// The same where each element of each output has one right value, of the output's own type: the outputs
  /// themselves, which take less time and memory, NaN as 0x7E00. What is said of each has no elements.
  /// Nothing where that is not known before it is solved.
  virtual std::optional<std::vector<ExactOutput>> exact_outputs(const Problem& problem,
                                                                const Arithmetic& arithmetic) const;

  /// What in the values of a checked problem may be meant and seldom is, a line each that begins with the
  /// name of the tensor: what a trace and `assay golden show` say beside the statistics.
  virtual std::vector<std::string> warnings(const Problem& problem) const;

  /// Adds what the values of a problem reach (codes, positions, groups); see coverage.hpp for its shape.
  virtual void cover(const Problem& problem, Coverage& coverage) const;

  /// All cases that there are, with part of its sweep. Throws std::invalid_argument that says why there is no
  /// such run: the operation has too many, or the kernel's requirements leave no room.
  virtual std::unique_ptr<ExhaustiveRun> exhaustive(const KernelTraits& traits, WordRange words) const;

  /// Tags that a run must have reached, else it could not have shown every fault.
  virtual std::vector<std::string> wanted_coverage() const;

  /// Where each element of `output` shows one weight by itself: which one. Nothing where it shows sums, or
  /// where the operation has no such cases.
  virtual std::optional<WeightsSeen> weights_seen(const Problem& problem, std::string_view output) const;

  /// Whether cases that are too large to be made can be run as samples (properties/large): their inputs
  /// repeat those of a smaller problem, and parts can be cut out. Not where the kernel is given what it
  /// changes, nor, unless the operation says how, where dimensions are hidden in compressed data.
  virtual bool can_repeat() const;
  /// The dimensions of a smaller problem whose compressed data that of a problem of these may repeat: `dims`,
  /// with smaller hidden ones. `dims` itself where there is none.
  virtual Dims repeats(const Dims& dims) const;
  /// Of which multiples of a hidden dimension there is one, for these choices; 1 where it does not matter.
  virtual std::int64_t repeats_for(const Dims& choices, std::string_view dimension) const;
  /// Sets the counted inputs of a problem, and what refers to them, where all others repeat those of `small`,
  /// which has the dimensions of repeats(). Throws Unjudgeable where they cannot be as long.
  virtual void repeat_counted(const Problem& small, Problem& problem) const;
  /// Sets the counted inputs of a part of a problem, and what refers to them. Says what it took of each.
  virtual std::map<std::string, Taken> cut_counted(const Problem& whole, const Part& part,
                                                   Problem& cut) const;
  /// The indices along one dimension that a part makes use of, where these follow from values. The part has
  /// no others then.
  virtual std::optional<Chosen> chosen_by(const Problem& whole, const Part& part) const;
  /// Changes the values of a part that refer to such indices.
  virtual void renumber(const Chosen& chosen, Problem& cut) const;

  /// Problems of this operation that a kernel with a fault known in its field would have solved in place of
  /// this one; those that any operation can have are counterfactual.hpp's.
  virtual std::vector<Counterfactual> counterfactuals(const Problem& problem, const Tile& tile) const;
  /// What kernels with such faults give where no other problem has their answers. Throws as expect().
  virtual std::vector<OtherAnswers> other_answers(const Problem& problem) const;

 protected:
  /// Of an input whose shape is not what these dimensions ask for: which mistake gives such a shape, in
  /// words; "" where none is known.
  virtual std::string mistaken_shape(const Tensor& stored, const Dims& dims) const;

  /// Writes the inputs of a checked case. They are there, zero-filled, in the declared types and shapes;
  /// those that a count is of have one element, and are given their length here (resize_vector()).
  virtual void fill(const Case& test_case, Problem& filled) const = 0;

 private:
  const Regime& regime_of(const Case& test_case) const;
  std::vector<std::vector<std::size_t>> shapes_of(const Dims& dims, std::size_t most_bytes) const;

  OperationDeclaration declaration_;
};

/// Gives a tensor of one dimension another length, at least 1; new elements are 0.
void resize_vector(Tensor& tensor, std::size_t elements);

/// Makes an operation known under its name, for as long as the program runs. Defined at namespace scope, in a
/// source file that is part of the program:
///
///   const RegisterOperation kScaledSum("scaled_sum", [] { return std::make_unique<ScaledSum>(); });
///
/// `make` is called when the operation is first asked for. A name that is taken already ends the program with
/// a line that says so.
class RegisterOperation {
 public:
  RegisterOperation(std::string name, std::function<std::unique_ptr<Operation>()> make);
};

/// Throws std::invalid_argument that lists the operations there are.
const Operation& find_operation(std::string_view name);
/// That of a kernel: what its manifest states, or else what find_operation() has under that name.
const Operation& operation_of(const KernelEntry& entry);
/// Ascending.
std::vector<std::string> operation_names();

}  // namespace assay::properties
