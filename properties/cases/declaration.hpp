// What an operation says of itself: enough to generate, shrink and check its cases without knowing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/meaning.hpp"
#include "properties/cases/traits.hpp"

namespace assay::properties {

enum class Role {
  input,
  output,
  in_out,  ///< given to the kernel and judged afterwards, as the buffers that must be left zero
};

struct TensorSpec {
  std::string name;
  DType dtype{};
  Role role = Role::input;
  std::function<std::vector<std::size_t>(const Dims&)> shape;
  bool optional = false;  ///< of an output: kernels may do without; it is judged where an argument binds it
  /// Where `shape` has tiles down and across as one axis: the same elements with an axis for each. Null: as
  /// `shape`.
  std::function<std::vector<std::size_t>(const Dims&)> unfolded = nullptr;
  bool single = false;  ///< of an input: it has one element in every case, and may stand in a struct

  std::vector<std::size_t> axes(const Dims& dims) const { return unfolded ? unfolded(dims) : shape(dims); }
};

/// An integer parameter of the operation, and the scalar argument of that name.
///
/// A size is drawn around its landmarks: 8, its tile, the values of `related` dimensions. A choice is drawn
/// from `choices`, simplest first.
struct Dimension {
  std::string name;
  std::int64_t multiple = 1;               ///< legal values are positive multiples of this
  std::int64_t Tile::*tile = nullptr;      ///< of a size: the tile that cuts it
  std::vector<std::string> related = {};   ///< of a size: dimensions whose values are landmarks of this one
  std::int64_t largest = 1024;             ///< of a size: largest drawn value, where `requires` says nothing
  bool huge = true;                        ///< of a size: some cases take it beyond 16 bits
  bool reduced = false;                    ///< of a size: sums run over it, so that it sets the error bound
  std::vector<std::int64_t> choices = {};  ///< of a choice: the values drawn
  std::vector<std::int64_t> rare = {};     ///< of a choice: legal values drawn once in a while, larger ones
  bool closed = false;                     ///< of a choice: no value outside `choices` is legal
  bool cuts_sums = false;                  ///< of a choice: into how many slices sums are cut
  bool stacks = false;  ///< of a choice: so many matrices lie one behind the other, as those of experts do
  /// Of a choice: how many share the work. At its least beside a long size, so that each goes many rounds.
  bool shares_work = false;
  /// Of a choice: the work grows with it. At its least beside a size beyond 16 bits.
  bool adds_work = false;
  /// Of a size: the work grows as this power of it. 3 where a tensor is a square of it, for what loops along
  /// one side for each element. Sizes far from the ordinary are taken only as far as the budget goes.
  int power = 1;
  /// Of a choice: the largest legal value beside those of the dimensions declared before it; null: any.
  std::function<std::int64_t(const Dims&)> at_most = nullptr;
  /// Of a size: tensors depend on it in ways that their shapes do not show (compressed data), so that nothing
  /// can be cut or reordered along it.
  bool hidden = false;
  std::int64_t least = 1;                    ///< of a size: no legal value is smaller
  std::vector<std::int64_t> landmarks = {};  ///< of a size: values where something changes
  /// Of a size: what is reordered along it comes out reordered, or summed over it the same (laws).
  bool reorders = true;
  /// Of a size: a kernel may deal it out to the threads of a threadgroup, whose number is a landmark then.
  bool meets_threads = false;
  /// Of a size: the tensors of a large problem may repeat those of a smaller one along it.
  bool repeats = true;
  bool is_choice() const { return !choices.empty(); }
};

/// A scalar argument that follows from the values of a problem: how long a tensor of one dimension has become
/// (compressed data). Problems have it among their dimensions, cases do not.
struct Count {
  std::string name;
  std::string tensor;  ///< its shape is { this count }
};

/// An integer parameter of a regime, drawn from 0 to largest(dims, arithmetic). 0 is the simplest.
struct Knob {
  std::string name;
  std::function<std::int64_t(const Dims&, const Arithmetic&)> largest;
  std::vector<std::string> names = {};  ///< where its values are kinds rather than numbers: words of each
  /// By value: the word of `never` with which a manifest leaves it out. Empty where no manifest can.
  std::vector<std::string> never = {};
};

/// A way to draw values, with what it is good for.
struct Regime {
  std::string name;
  std::string about;  ///< one line: which faults it shows and how it is judged
  std::vector<Knob> knobs = {};
  std::string needs = {};      ///< an optional output: only kernels that have it are asked this
  std::uint32_t weight = 1;    ///< share of the cases
  bool half_sums_safe = true;  ///< sums stay finite in a half accumulator
  /// Factors of a weight may be multiplied in another order: weights are the same halves.
  bool regrouped_safe = true;
};

/// A floating-point input that may hold NaN, and infinities where nothing else is said.
struct Number {
  std::string name;
  bool infinite = true;
};

/// Cases that a default run has beside those that are drawn, the same whatever its seed (values_plan.hpp).
/// The values of the regime's first knob are what they show, in words: the tags that coverage counts.
struct PlannedRegime {
  Regime regime;
  /// Dimensions to show all of it at, each as near as the kernel takes it.
  std::function<std::vector<Dims>(const Tile&)> sizes;
  /// How many values of the knob a case of these dimensions shows, from this one on; null: one. 0: none
  /// there, it is left out.
  std::function<std::int64_t(const Dims&, std::int64_t first)> at_once = nullptr;
  /// Drawn cases are given its values, too. Not where they mean something at its sizes alone.
  bool lent = true;
};

/// A value that a planned case has in one place (planted.hpp).
struct PlantedValue {
  enum class At { first, last, free };
  std::string tensor;
  double value = 0;
  std::string line = {};  ///< the dimension whose elements it spoils one of; none: it spoils all
  std::size_t line_axis = 0;
  std::int64_t kept = 1;  ///< lines that a case leaves as they are
  At at_line = At::free;  ///< which of the lines
  At along = At::last;    ///< where on every other axis
  /// Where there is no line: `along` is of this axis alone, and the others are at `free`.
  std::optional<std::size_t> axis = std::nullopt;
};

/// What cases of one long size have for values besides ordinary ones: a value of a planned regime's knob.
struct LongValues {
  std::string regime;
  std::int64_t knob = 0;
  /// A length past 16 bits alone; or one that many kernels are for, beside the last values of choices: what
  /// is found once more in each of many rounds. And along these sizes alone; none: each.
  enum class At { both, longest, many_rounds } at = At::both;
  std::vector<std::string> sizes = {};
};

/// An input and the plain value it begins with in a planned case; of packed words, their bits
/// (plain_start.hpp).
struct PlainStart {
  std::string tensor;
  double value = 0;
};

/// Dimensions of a linear layer, by what they are of it; those that an operation lacks do not matter.
struct LayerNames {
  std::string tokens = "M", outputs = "N", inputs = "K";
  std::string hidden = {}, experts = {}, per_token = {};  ///< of a mixture of experts
};

/// Sizes whose product is planned to leave 16 bits (large/product_plan.hpp), two at a time, with these values
/// or with ordinary ones.
struct LongProducts {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::optional<LongValues> values = std::nullopt;
};

struct OperationDeclaration {
  std::string name;
  std::vector<TensorSpec> tensors;
  std::vector<Dimension> dimensions;  ///< in the order in which they shrink
  std::vector<Regime> regimes;        ///< simplest first
  /// Launches over the same buffers, with nothing cleared between them, after which the same bits must stand
  /// as after the first.
  unsigned launches = 1;
  std::vector<Count> counts = {};
  /// Regimes that cases are never drawn from: those of exhaustive runs (exhaustive.hpp).
  std::vector<Regime> listed = {};
  /// Cases that are planned, and for that of them that is named "planted" the places of its values.
  std::vector<PlannedRegime> planned = {};
  std::vector<PlantedValue> planted = {};
  std::vector<PlainStart> plain_starts = {};  ///< of that of them that is named "plain_start"
  /// Dimensions of planned cases whose values are integers where there are such (the regime `exact`).
  std::function<std::vector<Dims>(const Tile&)> planned_sizes = nullptr;
  /// Where no part of a launch can be judged by itself, as where threadgroups share the work: dimensions at
  /// which buffers and pieces of work are more than 16 and 24 bits count. Each is run whole, in fast mode.
  std::function<std::vector<Dims>(const Tile&)> long_sizes = nullptr;
  /// Each size by itself is planned to go past 16 bits (large/length_plan.hpp), with ordinary values and with
  /// these.
  std::optional<std::vector<LongValues>> lengths = std::nullopt;
  std::optional<LongProducts> products = std::nullopt;
  /// For the laws (laws/law.hpp). Floating-point inputs that all floating-point outputs are linear in: sums
  /// over a dimension that they share with no output are sums of their elements' terms.
  std::vector<std::string> factors = {};
  /// Those that may hold NaN.
  std::vector<Number> numbers = {};
  /// For the shapes of models' layers (large/models.hpp).
  LayerNames layer = {};
  /// What kernels may mean that is other: the words of `semantics`.
  std::vector<Meaning> meanings = {};

  /// No tensor is read and written, and none holds compressed data: a part of each stands for itself.
  bool has_plain_tensors() const;
};

/// The element of `all` with that name, or nullptr.
template <class T>
const T* find_named(const std::vector<T>& all, std::string_view name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// The value of a dimension. Throws std::invalid_argument naming it when `dims` lacks it.
std::int64_t dim(const Dims& dims, std::string_view name);
/// The same as a size.
std::size_t extent(const Dims& dims, std::string_view name);

/// The shape whose extents are these dimensions.
std::function<std::vector<std::size_t>(const Dims&)> shape_of(std::vector<std::string> dimensions);

/// Throws std::invalid_argument that names the field unless `dims` has exactly the declared dimensions, each
/// with a legal value.
void check_dims(const OperationDeclaration& declaration, const Dims& dims);

/// Throws std::invalid_argument that names the requirement unless each is on a declared dimension and lists
/// only values that this may have.
void check_requirements(const OperationDeclaration& declaration, const KernelTraits& traits);

}  // namespace assay::properties
