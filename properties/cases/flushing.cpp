#include "properties/cases/flushing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "properties/cases/operation.hpp"

namespace assay::properties {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_subnormal(std::uint16_t half) { return (half & 0x7C00U) == 0 && (half & 0x3FFU) != 0; }
bool is_subnormal(std::uint32_t single) { return (single & 0x7F800000U) == 0 && (single & 0x7FFFFFU) != 0; }

template <class Bits>
void flush(Bits sign, Tensor& tensor) {
  for (Bits& one : tensor.as<Bits>()) {
    if (is_subnormal(one)) one &= sign;
  }
}

void flush(Tensor& tensor) {
  if (tensor.dtype == DType::f16) flush<std::uint16_t>(0x8000, tensor);
  if (tensor.dtype == DType::f32) flush<std::uint32_t>(0x80000000, tensor);
}

template <class Bits>
bool has_any(const Tensor& tensor) {
  const auto bits = tensor.as<Bits>();
  return std::any_of(bits.begin(), bits.end(), [](Bits one) { return is_subnormal(one); });
}

// A subnormal result may be zero.
void flush_results(double smallest_normal, Expectation& expected) {
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    if (expected.low[i] > 0 && expected.low[i] < smallest_normal) expected.low[i] = 0;
    if (expected.high[i] < 0 && expected.high[i] > -smallest_normal) expected.high[i] = 0;
  }
}

}  // namespace

namespace {

/// The stretches of an element: those that do not meet, or the one that there is.
std::vector<RightStretch> stretches_of(const Expectation& expected, std::size_t i) {
  std::vector<RightStretch> found;
  std::copy_if(expected.apart.begin(), expected.apart.end(), std::back_inserter(found),
               [&](const RightStretch& one) { return one.element == i; });
  if (found.empty()) found.push_back({i, expected.value[i], expected.low[i], expected.high[i]});
  return found;
}

/// Where either has stretches apart: all of both.
void widen_stretches(const Expectation& other, Expectation& expected) {
  std::vector<std::size_t> elements;
  for (const auto* one : {&other, static_cast<const Expectation*>(&expected)}) {
    for (const RightStretch& right : one->apart) elements.push_back(right.element);
  }
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  std::vector<RightStretch> all;
  for (const std::size_t i : elements) {
    for (const auto& right : {stretches_of(expected, i), stretches_of(other, i)})
      all.insert(all.end(), right.begin(), right.end());
  }
  expected.apart = std::move(all);
}

}  // namespace

void widen(const Expectation& other, std::size_t i, Expectation& expected) {
  double &low = expected.low[i], &high = expected.high[i];
  if (std::isnan(expected.value[i]) != std::isnan(other.value[i])) {
    low = -kInfinity, high = kInfinity;  // NaN or not
  } else if (expected.signed_zero && low == 0 && high == 0 && other.low[i] == 0 && other.high[i] == 0) {
    if (std::signbit(low) != std::signbit(other.low[i])) low = -0.0, high = 0.0;
  } else {
    low = std::min(low, other.low[i]);
    high = std::max(high, other.high[i]);
  }
}

void widen(const Expectation& other, Expectation& expected) {
  if (!other.apart.empty() || !expected.apart.empty()) widen_stretches(other, expected);
  for (std::size_t i = 0; i < expected.value.size(); ++i) widen(other, i, expected);
}

bool has_subnormals(const Tensor& tensor) {
  if (tensor.dtype == DType::f16) return has_any<std::uint16_t>(tensor);
  return tensor.dtype == DType::f32 && has_any<std::uint32_t>(tensor);
}

Problem with_flushed(const Problem& problem, std::string_view name) {
  Problem other = problem;
  flush(input(other, name));
  return other;
}

Problem with_flushed(const Problem& problem) {
  Problem other = problem;
  for (Tensor& tensor : other.inputs) flush(tensor);
  return other;
}

std::vector<Expectation> right_answers(const Operation& operation, const Problem& problem,
                                       const Arithmetic& arithmetic) {
  std::vector<Expectation> expected = operation.expect(problem, arithmetic);
  if (!arithmetic.flushed) return expected;
  if (std::any_of(problem.inputs.begin(), problem.inputs.end(), has_subnormals)) {
    const auto others = operation.expect(with_flushed(problem), arithmetic);
    for (std::size_t i = 0; i < expected.size(); ++i) widen(others.at(i), expected[i]);
  }
  for (Expectation& one : expected) {
    const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                     [&](const OutputSpec& spec) { return spec.name == one.tensor; });
    if (output == problem.outputs.end()) continue;
    if (output->dtype == DType::f16) flush_results(0x1p-14, one);
    if (output->dtype == DType::f32) flush_results(0x1p-126, one);
    one.bound += "; subnormals may be flushed to zero";
  }
  return expected;
}

}  // namespace assay::properties
