#include "properties/stated/stated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "properties/cases/special_values.hpp"
#include "properties/stated/pairs.hpp"
#include "properties/stated/patterns.hpp"
#include "properties/stated/unread.hpp"

namespace assay::properties {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The shape at these dimensions. Throws std::invalid_argument where a size is no whole number from 1 on.
std::function<std::vector<std::size_t>(const Dims&)> shape_of(const StatedTensor& tensor) {
  return [name = tensor.name, axes = tensor.shape](const Dims& dims) {
    std::vector<std::size_t> shape;
    for (const Expression& axis : axes) {
      const std::int64_t size = axis.evaluate_integer(dims);
      if (size < 1)
        throw std::invalid_argument(
            fmt::format("{}: the size `{}` is {} there; it must be at least 1", name, axis.text(), size));
      shape.push_back(static_cast<std::size_t>(size));
    }
    return shape;
  };
}

TensorSpec spec_of(const StatedTensor& tensor) {
  using Access = StatedTensor::Access;
  TensorSpec spec{tensor.name, tensor.dtype,
                  tensor.access == Access::in    ? Role::input
                  : tensor.access == Access::out ? Role::output
                                                 : Role::in_out,
                  shape_of(tensor)};
  spec.single =
      tensor.access == Access::in && std::all_of(tensor.shape.begin(), tensor.shape.end(),
                                                 [](const Expression& axis) { return axis.text() == "1"; });
  return spec;
}

/// How many axes of one tensor the dimension is, at most.
int axes_of(const std::string& dimension, const std::vector<StatedTensor>& tensors) {
  std::ptrdiff_t most = 0;
  for (const StatedTensor& tensor : tensors) {
    const auto is_axis = [&](const Expression& axis) {
      const auto& names = axis.names();
      return std::find(names.begin(), names.end(), dimension) != names.end();
    };
    most = std::max(most, std::count_if(tensor.shape.begin(), tensor.shape.end(), is_axis));
  }
  return static_cast<int>(most);
}

Dimension dimension_of(const StatedDimension& stated, const std::vector<StatedTensor>& tensors) {
  Dimension one{.name = stated.name, .multiple = stated.multiple, .largest = stated.largest};
  one.least = stated.least;
  one.landmarks = stated.edges;
  one.tile = stated.tile == 'm'   ? &Tile::m
             : stated.tile == 'n' ? &Tile::n
             : stated.tile == 'k' ? &Tile::k
                                  : nullptr;
  one.reduced = stated.reduced;
  one.meets_threads = true;
  one.reorders = stated.independent;
  one.repeats = stated.independent;
  one.choices = stated.choices;
  if (const int axes = axes_of(stated.name, tensors); axes > 1) one.power = axes + 1;
  one.closed = one.adds_work = !stated.choices.empty();  // it may, and the text does not say
  return one;
}

/// Whether a large problem may repeat a smaller one along the dimension: what lies along it lies there as the
/// outermost axis of inputs, so that each repetition is whole, and no values follow from it.
bool can_repeat_along(const StatedOperation& stated, const std::string& dimension) {
  const auto names = [&](const Expression& one) {
    const auto& found = one.names();
    return std::find(found.begin(), found.end(), dimension) != found.end();
  };
  return std::all_of(stated.tensors.begin(), stated.tensors.end(), [&](const StatedTensor& tensor) {
    if (tensor.values.limit && names(*tensor.values.limit)) return false;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const bool outermost = axis == 0 || tensor.access == StatedTensor::Access::out;
      if (names(tensor.shape[axis]) && (tensor.shape[axis].text() != dimension || !outermost)) return false;
    }
    return true;
  });
}

bool is_free_to_vary(const StatedTensor& tensor) {
  return tensor.access != StatedTensor::Access::out && (tensor.values.kind == StatedValues::Kind::normal ||
                                                        tensor.values.kind == StatedValues::Kind::positive);
}

}  // namespace

OperationDeclaration declaration_of(const StatedOperation& stated) {
  OperationDeclaration declared;
  declared.name = stated.name;
  for (const StatedTensor& tensor : stated.tensors) declared.tensors.push_back(spec_of(tensor));
  for (const StatedDimension& one : stated.dimensions)
    declared.dimensions.push_back(dimension_of(one, stated.tensors));
  declared.regimes = {{.name = "stated", .about = "values as the manifest states them", .weight = 4}};
  if (std::any_of(stated.tensors.begin(), stated.tensors.end(), is_free_to_vary)) {
    declared.regimes.push_back(
        {.name = "whole", .about = "small whole numbers: sums that no order changes, and ties", .weight = 2});
    declared.regimes.push_back({.name = "wide", .about = "magnitudes from 2^-10 to 2^6", .weight = 2});
    declared.regimes.push_back(
        {.name = "sparse", .about = "zeros, and few other values: which element is where"});
    declared.regimes.push_back({.name = "equal", .about = "one value everywhere: ties"});
  }
  declared.launches = stated.launches;
  declared.factors = stated.linear;
  declared.layer = {.tokens = {}, .outputs = {}, .inputs = {}};
  for (Dimension& one : declared.dimensions) one.repeats = one.repeats && can_repeat_along(stated, one.name);
  declare_plans(stated, declared);
  declare_pairs(stated, declared);
  declare_unread(stated, declared);
  return declared;
}

Stated::Stated(std::shared_ptr<const StatedOperation> stated, std::unique_ptr<Answers> answers)
    : Operation(declaration_of(*stated)), stated_(std::move(stated)), answers_(std::move(answers)) {}

bool Stated::can_repeat() const {
  const auto& dimensions = declaration().dimensions;
  return declaration().has_plain_tensors() &&
         std::any_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& one) { return !one.is_choice() && one.repeats; });
}

void Stated::prepare(const Arithmetic& arithmetic) const {
  prepared_ = arithmetic;
  if (answers_) answers_->prepare(arithmetic);
}

void Stated::fill(const Case& test_case, Problem& filled) const {
  draw_values(*stated_, test_case, filled);
  if (!answers_) return;
  answers_->fill(test_case, filled);
  if (test_case.regime != kUnread) return;
  spoil_unread(*stated_, knob_of(test_case, "tensor"), filled,
               [&](const Problem& problem) { return answers_->expect(problem, prepared_); });
}

std::vector<Expectation> Stated::expect(const Problem& problem, const Arithmetic& arithmetic) const {
  check_problem(problem);
  if (answers_) return answers_->expect(problem, arithmetic);
  std::vector<Expectation> anything;
  for (const OutputSpec& output : problem.outputs) {
    std::size_t elements = 1;
    for (const std::size_t extent : output.shape) elements *= extent;
    anything.push_back({.tensor = output.name,
                        .value = std::vector<double>(elements, 0.0),
                        .low = std::vector<double>(elements, -kInfinity),
                        .high = std::vector<double>(elements, kInfinity),
                        .bound = "anything: the manifest names no operation"});
  }
  return anything;
}

namespace {

std::unique_ptr<Operation> make_operation(const KernelEntry& entry) {
  const auto& stated = entry.stated;
  std::unique_ptr<Answers> answers;
  if (!stated->reference.empty()) answers = answers_of_text(stated);
  if (entry.reference_kernel) answers = answers_of_kernel(*entry.reference_kernel, stated->ulps);
  return std::make_unique<Stated>(stated, std::move(answers));
}

}  // namespace

const Operation& operation_of(const KernelEntry& entry) {
  if (!entry.stated) return find_operation(entry.operation);
  // Kept with what it was made of, so that no other statement comes to lie at its address.
  using Made = std::pair<std::shared_ptr<const StatedOperation>, std::unique_ptr<Operation>>;
  static std::mutex lock;
  static std::map<const StatedOperation*, Made> made;
  const std::lock_guard guard(lock);
  auto& [kept, operation] = made[entry.stated.get()];
  if (!operation) {
    kept = entry.stated;
    operation = make_operation(entry);
  }
  return *operation;
}

}  // namespace assay::properties
