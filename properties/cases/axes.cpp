#include "properties/cases/axes.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace assay::properties {
namespace {

using Shape = std::vector<std::size_t>;

/// Blocks are looked for up to here: no shape depends on a dimension in steps this long.
constexpr std::int64_t kLongest = std::int64_t{1} << 20;

Shape shape_at(const TensorSpec& tensor, Dims dims, const std::string& dimension, std::int64_t value) {
  dims[dimension] = value;
  return tensor.axes(dims);
}

/// The one axis in which two shapes differ; nothing where it is none or more.
std::optional<std::size_t> differing_axis(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

/// Some legal dimensions: shapes along one do not depend on which.
Dims nominal_dims(const OperationDeclaration& declaration) {
  Dims dims;
  for (const Dimension& one : declaration.dimensions) {
    dims[one.name] = one.is_choice() ? one.choices.front() : one.multiple;
  }
  for (const Count& one : declaration.counts) dims[one.name] = 1;
  return dims;
}

bool is_zero(const Tensor& tensor) {
  return std::all_of(tensor.data.begin(), tensor.data.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

std::size_t product(Shape::const_iterator begin, Shape::const_iterator end) {
  return std::accumulate(begin, end, std::size_t{1}, std::multiplies<>());
}

}  // namespace

Axis axis_of(const TensorSpec& tensor, const Dims& dims, const std::string& dimension) try {
  const Shape first = shape_at(tensor, dims, dimension, 1);
  std::int64_t same = 1, other = 2;
  while (other <= kLongest && shape_at(tensor, dims, dimension, other) == first) {
    same = other;
    other *= 2;
  }
  if (other > kLongest) return {};
  while (other - same > 1) {
    const std::int64_t middle = same + (other - same) / 2;
    (shape_at(tensor, dims, dimension, middle) == first ? same : other) = middle;
  }
  const Axis mixed{.kind = Axis::Kind::mixed};
  const auto axis = differing_axis(first, shape_at(tensor, dims, dimension, other));
  if (!axis) return mixed;
  const auto block = static_cast<std::size_t>(same);
  for (const std::int64_t value : {std::int64_t{1}, other, 2 * same, 2 * same + 1, dim(dims, dimension)}) {
    Shape expected = first;
    expected[*axis] = (static_cast<std::size_t>(value) + block - 1) / block;
    if (shape_at(tensor, dims, dimension, value) != expected) return mixed;
  }
  return {.kind = Axis::Kind::along, .axis = *axis, .block = block};
} catch (const std::invalid_argument&) {  // too large a shape, long before it has changed
  return {.kind = Axis::Kind::mixed};
}

std::optional<Movement> movement_along(const Operation& operation, const Problem& problem,
                                       const std::string& dimension) {
  const OperationDeclaration& declaration = operation.declaration();
  const Dimension* const declared = find_named(declaration.dimensions, dimension);
  if (declared == nullptr || declared->hidden) return std::nullopt;
  Movement movement{.dimension = dimension, .extent = extent(problem.dims, dimension), .unit = 1, .axes = {}};
  for (const TensorSpec& spec : declaration.tensors) {
    const Axis axis = axis_of(spec, problem.dims, dimension);
    movement.axes[spec.name] = axis;
    if (spec.role == Role::in_out && is_zero(input(problem, spec.name))) continue;  // the same in every order
    if (axis.kind == Axis::Kind::mixed && spec.role != Role::output) return std::nullopt;
    if (axis.kind == Axis::Kind::along) movement.unit = std::lcm(movement.unit, axis.block);
  }
  return movement;
}

Order order_of(const Movement& movement, const std::vector<std::size_t>& unit_at) {
  Order order(movement.extent);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < unit_at.size() * movement.unit; ++i) {
    order[i] = unit_at[i / movement.unit] * movement.unit + i % movement.unit;
  }
  return order;
}

Order range_of(std::size_t begin, std::size_t end) {
  Order order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  return order;
}

std::size_t index_along(std::size_t element, std::size_t axis, const Shape& shape) {
  return element / product(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()) % shape[axis];
}

std::size_t origin_of(std::size_t element, const Axis& axis, const Order& order, const Shape& before,
                      const Shape& after) {
  if (axis.kind != Axis::Kind::along) return element;
  const std::size_t inner = product(after.begin() + static_cast<std::ptrdiff_t>(axis.axis) + 1, after.end());
  const std::size_t index = element / inner % after[axis.axis], outer = element / inner / after[axis.axis];
  const std::size_t from = order[index * axis.block] / axis.block;
  return (outer * before[axis.axis] + from) * inner + element % inner;
}

Problem reordered(const Operation& operation, const Problem& problem, const Movement& movement,
                  const Order& order) {
  Problem moved{.operation = problem.operation, .dims = problem.dims, .inputs = {}, .outputs = {}};
  moved.schedule = problem.schedule;
  moved.planned = problem.planned;
  moved.dims[movement.dimension] = static_cast<std::int64_t>(order.size());
  for (const TensorSpec& spec : operation.declaration().tensors) {
    const Shape shape = spec.shape(moved.dims);
    const Axis& axis = movement.axes.at(spec.name);
    if (spec.role != Role::input) moved.outputs.push_back({spec.name, spec.dtype, shape, spec.optional});
    if (spec.role == Role::output) continue;
    const Tensor& given = input(problem, spec.name);
    if (axis.kind == Axis::Kind::none) {
      moved.inputs.push_back(given);
      continue;
    }
    Tensor& tensor = moved.inputs.emplace_back(assay::make_tensor(spec.name, spec.dtype, shape));
    if (axis.kind == Axis::Kind::mixed || is_zero(given)) continue;
    const std::size_t size = assay::size_of(spec.dtype);
    const std::size_t inner =
        product(shape.begin() + static_cast<std::ptrdiff_t>(axis.axis) + 1, shape.end());
    for (std::size_t row = 0; row < tensor.element_count(); row += inner) {
      std::memcpy(tensor.data.data() + row * size,
                  given.data.data() + origin_of(row, axis, order, given.shape, shape) * size, inner * size);
    }
  }
  operation.settle_counts(moved);
  return moved;
}

std::vector<std::string> sizes_of(const OperationDeclaration& declaration) {
  std::vector<std::string> names;
  for (const Dimension& one : declaration.dimensions) {
    if (!one.is_choice() && !one.hidden) names.push_back(one.name);
  }
  return names;
}

bool runs_along(const OperationDeclaration& declaration, const std::string& tensor,
                const std::string& dimension) {
  const TensorSpec* const spec = find_named(declaration.tensors, tensor);
  if (spec == nullptr) throw std::invalid_argument(declaration.name + ": no tensor is named " + tensor);
  return axis_of(*spec, nominal_dims(declaration), dimension).kind == Axis::Kind::along;
}

bool has_one_each(const OperationDeclaration& declaration, const std::string& tensor,
                  const std::string& dimension) {
  const TensorSpec* const spec = find_named(declaration.tensors, tensor);
  return runs_along(declaration, tensor, dimension) &&
         axis_of(*spec, nominal_dims(declaration), dimension).block == 1;
}

bool is_free(const OperationDeclaration& declaration, const std::string& dimension) {
  return std::any_of(declaration.tensors.begin(), declaration.tensors.end(), [&](const TensorSpec& spec) {
    // An output with an element a tile lists tiles along what is summed over, too.
    return spec.role == Role::output && !spec.unfolded && runs_along(declaration, spec.name, dimension);
  });
}

std::vector<std::string> places_of(const OperationDeclaration& declaration, const std::string& tensor) {
  std::vector<std::string> places = sizes_of(declaration);
  std::erase_if(places, [&](const std::string& dimension) {
    return !is_free(declaration, dimension) || !runs_along(declaration, tensor, dimension);
  });
  return places;
}

}  // namespace assay::properties
