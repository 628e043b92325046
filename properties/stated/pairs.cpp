#include "properties/stated/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "properties/cases/operation.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/stated/drawing.hpp"
#include "properties/stated/patterns.hpp"
#include "properties/stated/stated.hpp"

namespace assay::properties {
namespace {

using Kind = StatedValues::Kind;

/// A size of the cases.
constexpr std::int64_t kSmallest = 3;

constexpr double kLargestHalf = 65504;

double all_ones(DType dtype) {
  return is_signed(dtype) ? -1 : std::ldexp(1.0, 8 * static_cast<int>(size_of(dtype))) - 1;
}

/// Its sign bit alone, or the bit at its place.
double sign_bit(DType dtype) {
  return std::ldexp(is_signed(dtype) ? -1.0 : 1.0, 8 * static_cast<int>(size_of(dtype)) - 1);
}

/// Values that an input may hold everywhere: 0 of both signs, infinity, the ends of its range.
std::vector<double> specials_of(const StatedTensor& tensor, const Dims& dims) {
  const StatedValues& values = tensor.values;
  if (tensor.access == StatedTensor::Access::out || says_never(tensor, "equal")) return {};
  switch (values.kind) {
    case Kind::normal: {
      std::vector<double> found = {0, 1};
      if (!says_never(tensor, "-0")) found.push_back(-0.0);
      if (!says_never(tensor, "infinity")) found.push_back(std::numeric_limits<double>::infinity());
      if (!says_never(tensor, "extremes")) found.push_back(kLargestHalf);
      return found;
    }
    case Kind::range:
      return values.low < 0 && values.high > 0 ? std::vector{values.low, 0.0, values.high}
                                               : std::vector{values.low, values.high};
    case Kind::below:
      return {0, static_cast<double>(std::max<std::int64_t>(values.limit->evaluate_integer(dims), 1) - 1)};
    case Kind::listed: {
      const auto [least, most] = std::minmax_element(values.list.begin(), values.list.end());
      return {*least, *most};
    }
    case Kind::bits:
      if (!is_integer(tensor.dtype)) return {};
      return {0, 1, all_ones(tensor.dtype), sign_bit(tensor.dtype)};
    default:
      return {};
  }
}

struct Pair {
  const StatedTensor *a, *b;
  double of_a, of_b;
};

std::vector<Pair> pairs_of(const StatedOperation& stated, const Dims& dims) {
  std::vector<Pair> found;
  for (std::size_t i = 0; i < stated.tensors.size(); ++i) {
    for (std::size_t j = i + 1; j < stated.tensors.size(); ++j) {
      const StatedTensor &a = stated.tensors[i], &b = stated.tensors[j];
      for (const double of_a : specials_of(a, dims)) {
        for (const double of_b : specials_of(b, dims)) found.push_back({&a, &b, of_a, of_b});
      }
    }
  }
  return found;
}

}  // namespace

void declare_pairs(const StatedOperation& stated, OperationDeclaration& declared) {
  if (!stated.has_answers()) return;
  const Dims few = small_dims(declared.dimensions, kSmallest);
  PlannedRegime planned;
  planned.regime = {.name = kPairs,
                    .about = "special values of two inputs, each everywhere",
                    .knobs = {{.name = "pair", .largest = nullptr}}};
  Knob& knob = planned.regime.knobs.front();
  for (const Pair& one : pairs_of(stated, few)) {
    knob.names.push_back(fmt::format("{}, {}: special values everywhere", one.a->name, one.b->name));
    knob.never.emplace_back("equal");
  }
  if (knob.names.empty()) return;
  knob.largest = [last = std::ssize(knob.names) - 1](const Dims&, const Arithmetic&) { return last; };
  planned.sizes = [few](const Tile&) { return std::vector{few}; };
  planned.lent = false;
  declared.planned.push_back(std::move(planned));
}

void put_pair(const StatedOperation& stated, const Case& test_case, Problem& filled) {
  if (test_case.regime != kPairs) return;
  const auto pairs = pairs_of(stated, test_case.dims);
  const auto number = knob_of(test_case, "pair");
  if (number < 0 || number >= std::ssize(pairs)) return;
  const Pair& one = pairs[static_cast<std::size_t>(number)];
  for (const auto& [tensor, value] : {std::pair{one.a, one.of_a}, {one.b, one.of_b}}) {
    Tensor& whole = input(filled, tensor->name);
    for (std::size_t i = 0; i < whole.element_count(); ++i) put_rounded(whole, i, value);
  }
}

}  // namespace assay::properties
