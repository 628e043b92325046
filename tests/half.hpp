// Half as tests compute with it: nothing of the library that they test.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tests/half_oracle.hpp"

namespace assay {

#ifdef __FLT16_MANT_DIG__
__extension__ typedef _Float16 Half;
#else
/// For compilers without a half of their own, as clang 14 on x86: each number is rounded by exact integers,
/// and arithmetic is that of its values, as C++ promotes them.
class Half {
 public:
  Half() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Half(Number number)
      : bits_(oracle::round(static_cast<double>(number))) {}
  operator float() const { return static_cast<float>(oracle::value(bits_)); }

 private:
  std::uint16_t bits_ = 0;
};
#endif

inline Half half_of(std::uint16_t bits) { return std::bit_cast<Half>(bits); }
inline std::uint16_t bits_of(Half half) { return std::bit_cast<std::uint16_t>(half); }

}  // namespace assay
