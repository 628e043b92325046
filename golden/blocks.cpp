#include "golden/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "properties/cases/axes.hpp"
#include "properties/large/part.hpp"
#include "reference/shape.hpp"

namespace assay::golden {
namespace {

using properties::Axis;
using properties::Operation;
using properties::OperationDeclaration;
using properties::Role;
using properties::TensorSpec;

/// A block is so many times as large as what all blocks have in common, such as activations: each reads that
/// anew.
constexpr std::size_t kTimesShared = 2;
/// The first block is that part of the others: one process solves it alone, to know what the header says.
constexpr std::size_t kFirstPart = 8;

/// A dimension along which a problem can be cut.
struct Cut {
  std::string dimension;
  std::size_t unit = 1;       ///< blocks begin at multiples of it
  std::size_t elements = 0;   ///< of all tensors, for each index along it
  bool cuts_weights = false;  ///< the largest input runs along it too
  std::size_t axis = 0;       ///< of the outputs
};

/// The elements that a tensor stands for, packed or not: the product of the sizes that it runs along.
std::size_t elements_of(const OperationDeclaration& declaration, const TensorSpec& spec, const Dims& dims,
                        const std::string& except = "") {
  std::size_t product = 1;
  for (const properties::Dimension& one : declaration.dimensions) {
    if (one.is_choice() || one.name == except) continue;
    if (axis_of(spec, dims, one.name).kind != Axis::Kind::none) product *= properties::extent(dims, one.name);
  }
  return product;
}

std::optional<Cut> cut_along(const Operation& operation, const Problem& problem,
                             const std::string& dimension) {
  const OperationDeclaration& declaration = operation.declaration();
  Cut cut{.dimension = dimension};
  std::size_t largest = 0;
  for (const TensorSpec& spec : declaration.tensors) {
    const Axis axis = axis_of(spec, problem.dims, dimension);
    if (axis.kind == Axis::Kind::mixed) return std::nullopt;
    const bool along = axis.kind == Axis::Kind::along;
    if (spec.role != Role::input) {
      if (!along || axis.block != 1) return std::nullopt;
      cut.axis = axis.axis;
    } else if (const std::size_t all = elements_of(declaration, spec, problem.dims); all > largest) {
      largest = all;
      cut.cuts_weights = along;
    }
    if (!along) continue;
    cut.unit = std::lcm(cut.unit, axis.block);
    cut.elements += elements_of(declaration, spec, problem.dims, dimension);
  }
  return cut;
}

std::optional<Cut> best_cut(const Operation& operation, const Problem& problem) {
  std::optional<Cut> best;
  for (const properties::Dimension& one : operation.declaration().dimensions) {
    if (one.is_choice()) continue;
    const auto cut = cut_along(operation, problem, one.name);
    if (!cut) continue;
    const bool better = !best || (cut->cuts_weights && !best->cuts_weights) ||
                        (cut->cuts_weights == best->cuts_weights && cut->axis < best->axis);
    if (better) best = cut;
  }
  return best;
}

/// Blocks of about `wanted` indices; each begins at a multiple of the unit.
std::vector<properties::Range> ranges_of(std::size_t extent, std::size_t wanted, std::size_t unit) {
  const auto whole_units = [&](std::size_t indices) { return reference::ceil_div(indices, unit) * unit; };
  const std::size_t first = std::min(whole_units(reference::ceil_div(wanted, kFirstPart)), extent);
  std::vector<properties::Range> ranges = {{0, first}};
  if (first == extent) return ranges;
  // The others alike, and an even number of them, so that two processes have as much to do.
  const std::size_t count = reference::ceil_div(reference::ceil_div(extent - first, wanted), 2) * 2;
  const std::size_t length = whole_units(reference::ceil_div(extent - first, count));
  for (std::size_t begin = first; begin < extent; begin += length)
    ranges.push_back({begin, std::min(begin + length, extent)});
  return ranges;
}

}  // namespace

Blocks blocks_of(const Operation& operation, const Problem& problem, std::size_t elements) {
  const OperationDeclaration& declaration = operation.declaration();
  std::size_t all = 0;
  for (const TensorSpec& spec : declaration.tensors) all += elements_of(declaration, spec, problem.dims);
  if (all <= elements || !declaration.has_plain_tensors()) return {};
  const auto cut = best_cut(operation, problem);
  if (!cut) return {};
  const std::size_t extent = properties::extent(problem.dims, cut->dimension);
  // What a part chooses, as experts, it may choose for each index: such blocks are as short as they can be.
  const bool chooses = operation.chosen_by(problem, {}).has_value();
  const std::size_t of_index = std::max<std::size_t>(1, cut->elements), shared = all - cut->elements * extent;
  const std::size_t wanted =
      chooses ? 1 : std::max<std::size_t>(1, std::max(elements, kTimesShared * shared) / of_index);
  return {cut->dimension, ranges_of(extent, wanted, cut->unit)};
}

std::vector<BlockAnswer> solve_block(const Operation& operation, const Problem& problem,
                                     const Arithmetic& arithmetic, const Blocks& blocks, std::size_t number) {
  std::optional<properties::CutProblem> cut;
  if (!blocks.dimension.empty())
    cut = cut_out(operation, problem, {{blocks.dimension, blocks.ranges.at(number)}});
  const Problem& solved = cut ? cut->problem : problem;
  std::vector<BlockAnswer> answers;
  const auto add = [&](const std::string& tensor) -> BlockAnswer& {
    const auto of = [&](const Problem& one) {
      return *std::find_if(one.outputs.begin(), one.outputs.end(),
                           [&](const OutputSpec& output) { return output.name == tensor; });
    };
    BlockAnswer& answer = answers.emplace_back();
    answer.whole = of(problem);
    answer.block = of(solved);
    if (cut) {
      const TensorSpec& spec = *find_named(operation.declaration().tensors, tensor);
      answer.axis = axis_of(spec, problem.dims, blocks.dimension).axis;
      answer.begin = blocks.ranges[number].begin;
    }
    return answer;
  };
  if (auto exact = operation.exact_outputs(solved, arithmetic)) {
    for (auto& [expected, tensor] : *exact) {
      BlockAnswer& answer = add(expected.tensor);
      tensor.name = expected_name(expected.tensor);
      answer.expected = std::move(expected);
      answer.exact.push_back(std::move(tensor));
    }
    return answers;
  }
  for (Expectation& expected : operation.expect(solved, arithmetic)) {
    BlockAnswer& answer = add(expected.tensor);
    answer.expected = std::move(expected);
  }
  return answers;
}

}  // namespace assay::golden
