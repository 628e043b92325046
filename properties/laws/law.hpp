// Laws: what must hold between the outputs of a problem and those of others that follow from it, whatever the
// right answers are. Rows of A that change places change places in C; twice the scales give twice the result.
//
// A law says which operations it is of by what they declare, never by their names.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties::laws {

/// An element of the same output in launch `run`, times 2^exponent. Launch 0 is that of the case.
struct ScaledElement {
  std::size_t run = 0;
  std::size_t element = 0;
  int exponent = 0;
};

/// What an element must be.
struct Claim {
  enum class What {
    sum,         ///< what `terms` add up to, as nearly as the operation's bounds ask
    zero,        ///< 0, of either sign, if terms[0] is finite and must be
    nan,         ///< NaN
    not_finite,  ///< NaN or infinite
  };
  What what = What::sum;
  std::array<ScaledElement, 2> terms{};
  std::size_t count = 1;  ///< of terms

  static Claim same_as(std::size_t run, std::size_t element, int exponent = 0) {
    return {What::sum, {ScaledElement{run, element, exponent}}, 1};
  }
};

/// Claims of the elements of one output of one launch; empty where there are none.
using Claims = std::function<std::optional<Claim>(std::size_t element)>;

/// Launches beside that of the case, and what is claimed of them all.
struct Experiment {
  std::string what;               ///< what was done, in words: "k of A times 2^3"
  std::vector<Problem> problems;  ///< of launches 1, 2, ...
  /// Whether claims need to know how exact launches other than the case's are. Where right answers are the
  /// same ones in other places, they need not.
  bool bounded = false;
  std::function<Claims(std::size_t run, const TensorSpec& output)> claims;
};

/// What a law makes its experiment of.
struct Subject {
  const Operation& operation;
  const KernelEntry& entry;
  const Problem& problem;
  Draw draw;  ///< for what the law leaves open: which rows, where to cut

  /// Whether the kernel takes problems of these dimensions.
  bool takes(const Problem& changed) const;
};

struct Law {
  std::string name;   ///< without spaces: "permute-N"
  std::string about;  ///< one line: what must hold
  /// Nothing where the case has no room for it: one row cannot change places.
  std::function<std::optional<Experiment>(const Subject&)> experiment;
};

/// All laws that an operation is under, by rank; those of equal rank by the name of their first.
std::vector<Law> laws_of(const Operation& operation);
/// One of them. Throws std::invalid_argument that lists their names.
Law find_law(const Operation& operation, std::string_view name);

/// Makes a kind of laws known, for as long as the program runs: `laws_of` gives those that operations of a
/// declaration are under. Kinds are tried by rank, since a broken law is told by the first: those that say
/// most of a fault's place go first. Assay's own have ranks from 0 to 50. Defined at namespace scope, in a
/// source file that is part of the program.
class RegisterLaws {
 public:
  RegisterLaws(int rank, std::function<std::vector<Law>(const OperationDeclaration&)> laws_of);
};

}  // namespace assay::properties::laws
