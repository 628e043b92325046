#include "properties/operations/packed4/weight_format.hpp"

#include <array>
#include <cmath>
#include <span>

#include "properties/cases/declaration.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/products/weights_meaning.hpp"
#include "reference/dequantize.hpp"

namespace assay::properties {
namespace {

using Halves = std::vector<std::uint16_t>;

/// 6 times this is the largest product with a code that is finite: 10912 * 6 < 65520.
constexpr std::uint16_t kTameFp4Scale = 0x7154;
/// A code is at most 16 from a tame zero point: 4094 * 16 = 65504.
constexpr std::uint16_t kTameInt4Scale = 0x6BFF;

std::span<const std::uint16_t> halves(const Problem& problem, const char* name) {
  return input(problem, name).as<std::uint16_t>();
}

/// A value of an FP4 code has two significant bits, so its product with a half is exact in float32 and both
/// chains of roundings give the same half.
Halves fp4_weights(const Problem& problem, const Arithmetic& arithmetic) {
  return meant_weights(
      reference::dequantize_fp4(extent(problem.dims, "K"), extent(problem.dims, "N"),
                                extent(problem.dims, "group_size"), input(problem, "B").as<std::uint32_t>(),
                                halves(problem, "scales")),
      arithmetic);
}

template <auto Dequantize>
Halves int4_weights(const Problem& problem, const Arithmetic& arithmetic) {
  const auto chain = arithmetic.dequantize == Precision::half_precision ? reference::Int4Chain::half_chain
                                                                        : reference::Int4Chain::float_chain;
  return meant_weights(Dequantize(extent(problem.dims, "K"), extent(problem.dims, "N"),
                                  extent(problem.dims, "group_size"), input(problem, "B").as<std::uint32_t>(),
                                  halves(problem, "scales"), halves(problem, "zeros"), chain),
                       arithmetic);
}

/// The nearest FP4 value, sign in bit 3.
std::uint8_t nearest_fp4(double value) {
  constexpr std::array<double, 8> kMagnitudes = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const double magnitude = std::fabs(value);
  std::uint8_t nearest = 0;
  for (std::size_t i = 1; i < kMagnitudes.size(); ++i) {
    if (std::fabs(kMagnitudes[i] - magnitude) < std::fabs(kMagnitudes[nearest] - magnitude))
      nearest = static_cast<std::uint8_t>(i);
  }
  return static_cast<std::uint8_t>(nearest | (value < 0 ? 8 : 0));
}

}  // namespace

std::uint8_t model_code(const Words& words, const WeightFormat& format) {
  if (format.zero_points) return static_cast<std::uint8_t>(model_level(words, 16));
  return nearest_fp4(2.0 * bell(words));
}

const WeightFormat& fp4_format() {
  static const WeightFormat format = {.name = "fp4",
                                      .zero = 0,
                                      .one = 2,
                                      .tame_scale = kTameFp4Scale,
                                      .zero_points = false,
                                      .weights = fp4_weights};
  return format;
}

const WeightFormat& u4_format() {
  static const WeightFormat format = {.name = "u4",
                                      .zero = 0,
                                      .one = 1,
                                      .tame_scale = kTameInt4Scale,
                                      .zero_points = true,
                                      .weights = int4_weights<reference::dequantize_u4>};
  return format;
}

const WeightFormat& s4_format() {
  static const WeightFormat format = {.name = "s4",
                                      .zero = 8,
                                      .one = 9,
                                      .tame_scale = kTameInt4Scale,
                                      .zero_points = true,
                                      .weights = int4_weights<reference::dequantize_s4>};
  return format;
}

}  // namespace assay::properties
