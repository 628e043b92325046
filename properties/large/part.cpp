#include "properties/large/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "properties/cases/axes.hpp"

namespace assay::properties {
namespace {

using Shape = std::vector<std::size_t>;

/// Of one tensor: along each axis, where the part begins.
struct Corner {
  Shape whole, part, begin;
  /// Along this axis, which is not the last, the part has these indices and no range.
  std::size_t chosen_axis = 0;
  const std::vector<std::size_t>* chosen = nullptr;

  std::size_t at(std::size_t axis, std::size_t index) const {
    return chosen != nullptr && axis == chosen_axis ? (*chosen)[index] : begin[axis] + index;
  }
};

/// Elements of a tensor of shape `part`, a row along its last axis at a time: calls `row` with its first
/// element there and the one in the whole that it is.
template <class Row>
void each_row(const Corner& corner, const Row& row) {
  const std::size_t axes = corner.part.size();
  const std::size_t inner = axes == 0 ? 1 : corner.part.back();
  std::size_t count = 1;
  for (std::size_t i = 0; i + 1 < axes; ++i) count *= corner.part[i];
  for (std::size_t outer = 0; outer < count; ++outer) {
    std::size_t left = outer, from = 0, stride = axes == 0 ? 1 : corner.whole.back();
    if (axes > 0) from = corner.begin.back();
    for (std::size_t i = axes; i-- > 1;) {
      const std::size_t at = left % corner.part[i - 1];
      left /= corner.part[i - 1];
      from += corner.at(i - 1, at) * stride;
      stride *= corner.whole[i - 1];
    }
    row(outer * inner, from, inner);
  }
}

/// Where the part lies in a tensor. Throws where it cannot be cut.
Corner corner_of(const TensorSpec& spec, const Dims& whole, const Dims& part, const Part& ranges,
                 const std::optional<Chosen>& chosen) {
  Corner corner{.whole = spec.axes(whole), .part = spec.axes(part), .begin = {}};
  corner.begin.assign(corner.whole.size(), 0);
  for (const auto& [dimension, range] : ranges) {
    const Axis axis = axis_of(spec, whole, dimension);
    if (axis.kind == Axis::Kind::none) continue;
    if (axis.kind == Axis::Kind::mixed)
      throw std::invalid_argument(fmt::format("{}: cannot be cut along {}", spec.name, dimension));
    corner.begin[axis.axis] = range.begin / axis.block;
  }
  if (!chosen) return corner;
  const Axis axis = axis_of(spec, whole, chosen->dimension);
  if (axis.kind == Axis::Kind::none) return corner;
  if (axis.kind == Axis::Kind::mixed || axis.block != 1 || axis.axis + 1 == corner.whole.size())
    throw std::invalid_argument(fmt::format("{}: cannot be cut along {}", spec.name, chosen->dimension));
  corner.chosen_axis = axis.axis;
  corner.chosen = &chosen->indices;
  return corner;
}

/// Whether a count is of its length.
bool is_counted(const Operation& operation, const TensorSpec& spec) {
  const auto& counts = operation.declaration().counts;
  return std::any_of(counts.begin(), counts.end(),
                     [&](const Count& count) { return count.tensor == spec.name; });
}

}  // namespace

bool can_cut(const Operation& operation, const Dims& dims, const Dimension& dimension) {
  const OperationDeclaration& declaration = operation.declaration();
  if (dimension.is_choice() || (!declaration.counts.empty() && !operation.can_repeat())) return false;
  if (dimension.hidden && !is_free(declaration, dimension.name)) return false;
  return std::none_of(declaration.tensors.begin(), declaration.tensors.end(), [&](const TensorSpec& spec) {
    return !is_counted(operation, spec) && axis_of(spec, dims, dimension.name).kind == Axis::Kind::mixed;
  });
}

Part widened(const Operation& operation, const Dims& dims, const Part& part) {
  Part wide = part;
  for (auto& [dimension, range] : wide) {
    std::size_t unit = 1;
    for (const TensorSpec& spec : operation.declaration().tensors) {
      if (is_counted(operation, spec)) continue;
      const Axis axis = axis_of(spec, dims, dimension);
      if (axis.kind == Axis::Kind::along) unit = std::lcm(unit, axis.block);
    }
    range.begin = range.begin / unit * unit;
    range.end = std::min((range.end + unit - 1) / unit * unit, extent(dims, dimension));
  }
  return wide;
}

CutProblem cut_out(const Operation& operation, const Problem& problem, const Part& part) {
  CutProblem cut;
  cut.part = widened(operation, problem.dims, part);
  cut.problem.operation = problem.operation;
  cut.problem.dims = problem.dims;
  cut.problem.schedule = problem.schedule;
  for (const auto& [dimension, range] : cut.part)
    cut.problem.dims[dimension] = static_cast<std::int64_t>(range.end - range.begin);
  const auto chosen = operation.chosen_by(problem, cut.part);
  if (chosen) cut.problem.dims[chosen->dimension] = static_cast<std::int64_t>(chosen->indices.size());
  for (const TensorSpec& spec : operation.declaration().tensors) {
    if (is_counted(operation, spec)) {
      cut.problem.inputs.push_back(assay::make_tensor(spec.name, spec.dtype, {1}));
      continue;
    }
    const Shape shape = spec.shape(cut.problem.dims);
    if (spec.role != Role::input)
      cut.problem.outputs.push_back({spec.name, spec.dtype, shape, spec.optional});
    if (spec.role == Role::output) continue;
    const Tensor& given = input(problem, spec.name);
    Tensor& tensor = cut.problem.inputs.emplace_back(assay::make_tensor(spec.name, spec.dtype, shape));
    const Corner corner = corner_of(spec, problem.dims, cut.problem.dims, cut.part, chosen);
    const std::size_t size = assay::size_of(spec.dtype);
    Taken taken{~std::size_t{0}, 0};
    each_row(corner, [&](std::size_t to, std::size_t from, std::size_t count) {
      given.copy(from, {tensor.data.data() + to * size, count * size});
      // An order keeps those of a row in theirs.
      taken.first = std::min(taken.first, given.place(from));
      taken.last = std::max(taken.last, given.place(from + count - 1));
    });
    cut.taken[spec.name] = taken;
  }
  for (const auto& [name, taken] : operation.cut_counted(problem, cut.part, cut.problem))
    cut.taken[name] = taken;
  operation.settle_counts(cut.problem);
  if (chosen) operation.renumber(*chosen, cut.problem);
  return cut;
}

std::vector<std::optional<std::size_t>> places_in(const Operation& operation, const Problem& whole,
                                                  const CutProblem& cut, const Part& asked,
                                                  const std::string& output) {
  const TensorSpec& spec = *find_named(operation.declaration().tensors, output);
  // No output lies along a dimension of which a part has chosen indices.
  const Corner corner = corner_of(spec, whole.dims, cut.problem.dims, cut.part, std::nullopt);
  std::vector<std::pair<Axis, Range>> limits;
  for (const auto& [dimension, range] : asked) {
    const Axis axis = axis_of(spec, whole.dims, dimension);
    if (axis.kind == Axis::Kind::along) limits.emplace_back(axis, range);
  }
  std::vector<std::optional<std::size_t>> places;
  each_row(corner, [&](std::size_t, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      const bool inside = std::all_of(limits.begin(), limits.end(), [&](const auto& limit) {
        const auto& [axis, range] = limit;
        const std::size_t at = index_along(i, axis.axis, corner.whole);
        return range.begin / axis.block <= at && at * axis.block < range.end;
      });
      places.push_back(inside ? std::optional(i) : std::nullopt);
    }
  });
  return places;
}

Expectation cut_out(const Operation& operation, const Problem& whole, const CutProblem& cut,
                    const Expectation& expected) {
  Expectation of_part{.tensor = expected.tensor,
                      .value = {},
                      .low = {},
                      .high = {},
                      .signed_zero = expected.signed_zero,
                      .bound = expected.bound};
  for (const auto& place : places_in(operation, whole, cut, cut.part, expected.tensor)) {
    of_part.value.push_back(expected.value.at(*place));
    of_part.low.push_back(expected.low.at(*place));
    of_part.high.push_back(expected.high.at(*place));
  }
  return of_part;
}

std::vector<Part> smaller_parts(const Operation& operation, const Dims& whole, const Part& part) {
  std::vector<Part> found;
  const auto add = [&](const std::string& dimension, const Range& range) {
    Part smaller = part;
    smaller[dimension] = range;
    const Part wide = widened(operation, whole, smaller);
    const Range& cut = wide.at(dimension);
    const bool is_smaller = cut.end - cut.begin < extent(whole, dimension) &&
                            (!part.contains(dimension) || cut != part.at(dimension));
    if (is_smaller && std::find(found.begin(), found.end(), wide) == found.end()) found.push_back(wide);
  };
  for (const Dimension& one : operation.declaration().dimensions) {
    if (!can_cut(operation, whole, one)) continue;
    const std::string& dimension = one.name;
    const auto known = part.find(dimension);
    const Range all = known == part.end() ? Range{0, extent(whole, dimension)} : known->second;
    const std::size_t size = all.end - all.begin;
    if (size < 2) continue;
    add(dimension, {all.begin, all.begin + size / 2});
    add(dimension, {all.begin + size / 2, all.end});
    for (std::size_t piece = size / 4; piece > 0; piece /= 2) {
      add(dimension, {all.begin + piece, all.end});
      add(dimension, {all.begin, all.end - piece});
    }
  }
  return found;
}

}  // namespace assay::properties
