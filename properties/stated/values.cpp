// How the values of stated operations are drawn.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "properties/cases/special_values.hpp"
#include "properties/stated/drawing.hpp"
#include "properties/stated/pairs.hpp"
#include "properties/stated/stated.hpp"
#include "reference/bfloat.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

using Kind = StatedValues::Kind;

/// By the sum of four uniform numbers: nearly normal, of variance 1, and the same bits on every machine.
double normal(const Words& words) {
  double sum = 0;
  for (const std::uint32_t word : words) sum += fraction_of(word) - 0.5;
  return sum * 1.7320508075688772;
}

/// The bits of a float, finite ones.
std::uint32_t finite(std::uint32_t word) {
  return (word & 0x7F800000U) == 0x7F800000U ? word & 0xBFFFFFFFU : word;
}

}  // namespace

void Drawing::run(std::optional<Pattern> pattern, bool below) {
  if (pattern && !takes(stated_, *pattern)) pattern = std::nullopt;
  for (std::size_t i = 0; i < tensor_.element_count(); ++i) {
    if (pattern) {
      put_patterned(i, *pattern, below);
    } else {
      put(i, draw_.words(i));
    }
  }
}

void Drawing::put(std::size_t i, const Words& words) {
  const std::size_t columns = tensor_.shape.empty() ? 1 : tensor_.shape.back();
  if (stated_.values.kind == Kind::bits) {
    put_bits(i, words[0]);
  } else if (stated_.values.kind == Kind::unit) {
    const auto chosen = below(static_cast<std::uint32_t>(columns), draw_.words(i / columns)[1]);
    put_rounded(tensor_, i, i % columns == chosen ? 1 : 0);
  } else {
    put_rounded(tensor_, i, value(words));
  }
}

std::int64_t Drawing::limit() const {
  return std::max<std::int64_t>(stated_.values.limit->evaluate_integer(test_case_.dims), 1);
}

double Drawing::value(const Words& words) const {
  const StatedValues& values = stated_.values;
  switch (values.kind) {
    case Kind::normal:
      return varied(words);
    case Kind::positive: {
      const double drawn = std::fabs(varied(words));
      return drawn > 0 ? drawn : 1;
    }
    case Kind::integers:
      return static_cast<double>(is_signed(stated_.dtype) ? between(-4, 4, words[0])
                                                          : between(0, 8, words[0]));
    case Kind::constant:
      return values.low;
    case Kind::range:
      if (!is_integer(stated_.dtype)) return values.low + (values.high - values.low) * fraction_of(words[0]);
      return std::min(values.high,
                      std::floor(values.low + (values.high - values.low + 1) * fraction_of(words[0])));
    case Kind::below:
      return std::floor(static_cast<double>(limit()) * fraction_of(words[0]));
    case Kind::listed:
      return values.list[below(static_cast<std::uint32_t>(values.list.size()), words[0])];
    case Kind::bits:
    case Kind::unit:
      break;
  }
  return 0;
}

double Drawing::varied(const Words& words) const {
  const std::string& regime = test_case_.regime;
  if (regime == "whole") return static_cast<double>(between(-4, 4, words[0]));
  if (regime == "equal") return draw_.words(~std::uint64_t{0})[0] % 2 == 0 ? 1.5 : -0.75;
  if (regime == "sparse" && words[3] % 8 != 0) return 0;
  if (regime == "wide")
    return std::ldexp(1 + fraction_of(words[1]), static_cast<int>(between(-10, 5, words[0]))) *
           ((words[2] & 1) != 0 ? -1 : 1);
  return normal(words);
}

void Drawing::put_bits(std::size_t i, std::uint32_t word) {
  switch (tensor_.dtype) {
    case DType::f16: {
      const auto bits = static_cast<std::uint16_t>(word >> 16);
      tensor_.as<std::uint16_t>()[i] = reference::half_is_finite(bits) ? bits : bits & 0xBFFF;
      break;
    }
    case DType::bf16:
      tensor_.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(finite(word) >> 16);
      break;
    case DType::f32:
      tensor_.as<std::uint32_t>()[i] = finite(word);
      break;
    default:
      put_rounded(tensor_, i,
                  is_signed(tensor_.dtype) ? static_cast<double>(static_cast<std::int32_t>(word)) : word);
  }
}

namespace {

/// The pattern of a case that has one.
std::optional<Pattern> pattern_of(const StatedOperation& stated, const Case& test_case) {
  if (test_case.regime != kPatterns) return std::nullopt;
  const auto patterns = patterns_of(stated);
  const auto chosen = static_cast<std::size_t>(std::max<std::int64_t>(knob_of(test_case, "value"), 0));
  if (chosen >= patterns.size()) return std::nullopt;
  return patterns[chosen];
}

}  // namespace

void draw_values(const StatedOperation& stated, const Case& test_case, Problem& filled) {
  const auto pattern = pattern_of(stated, test_case);
  for (const StatedTensor& tensor : stated.tensors) {
    if (tensor.access == StatedTensor::Access::out) continue;
    const bool below = pattern && is_below(stated, tensor, *pattern);
    Drawing(test_case, tensor, input(filled, tensor.name)).run(pattern, below);
  }
  put_pair(stated, test_case, filled);
}

}  // namespace assay::properties
