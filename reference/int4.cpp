#include "reference/int4.hpp"

#include <stdexcept>
#include <string>

#include "reference/half.hpp"

namespace assay::reference {
namespace {

void check_int4_code(unsigned code) {
  if (code > 15) {
    throw std::invalid_argument("INT4 code: " + std::to_string(code) + " is not in 0..15");
  }
}

// Every exact intermediate fits a double: a half is an integer of at most 41 bits in units of 2^-24, so
// n - zero has at most 42 significant bits, and after its rounding to 11 or 24 bits the product with a half
// has at most 35. Each conversion below is therefore the only rounding of its step.
double round_to_float(double value) { return static_cast<double>(static_cast<float>(value)); }

std::uint16_t half_chain(double n, double offset, double scale) {
  return half_from_double(round_to_half(n - offset) * scale);
}

std::uint16_t float_chain(double n, double zero, double scale) {
  return half_from_double(round_to_float(round_to_float(n - zero) * scale));
}

}  // namespace

std::uint16_t u4_weight(unsigned code, std::uint16_t scale, std::uint16_t zero, Int4Chain chain) {
  check_int4_code(code);
  const double zero_value = half_to_double(zero);
  const double scale_value = half_to_double(scale);
  return chain == Int4Chain::half_chain ? half_chain(code, zero_value, scale_value)
                                        : float_chain(code, zero_value, scale_value);
}

std::uint16_t s4_weight(unsigned code, std::uint16_t scale, std::uint16_t zero, Int4Chain chain) {
  check_int4_code(code);
  const double zero_value = half_to_double(zero);
  const double scale_value = half_to_double(scale);
  return chain == Int4Chain::half_chain
             ? half_chain(code, round_to_half(8.0 + zero_value), scale_value)
             : float_chain(static_cast<double>(code) - 8.0, zero_value, scale_value);
}

}  // namespace assay::reference
