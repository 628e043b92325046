// Values by counter: the bits of an element follow from (seed, stream, index) alone, so a problem has the
// same bytes on every machine and an element can be drawn without those before it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "properties/cases/philox.hpp"

namespace assay::properties {

/// The four random words of one element.
using Words = std::array<std::uint32_t, 4>;

/// One stream of random words, named after the tensor that it fills: Philox (philox.hpp), keyed by the seed,
/// counting (index, stream).
class Draw {
 public:
  Draw(std::uint64_t seed, std::string_view stream);

  Words words(std::uint64_t index) const;
  /// The first word of each element from that one on: several times as fast as one call an element.
  void first_words(std::uint64_t begin, std::span<std::uint32_t> first) const;

 private:
  PhiloxStream stream_;
};

/// A random word to 0..count-1; count at least 1. The bias, below count / 2^32, does not matter here.
std::uint32_t below(std::uint32_t count, std::uint32_t word);

/// A random word to low..high, ends included.
std::int64_t between(std::int64_t low, std::int64_t high, std::uint32_t word);

/// Halves as bit patterns, each from the words of one element.
/// Random sign and fraction, |x| in [2^low, 2^(high+1)); -14 <= low <= high <= 15.
std::uint16_t ordinary_half(int low, int high, const Words& words);
/// +-2^e with e in low..high; -24 <= low <= high <= 15.
std::uint16_t power_of_two_half(int low, int high, const Words& words);
/// An integer in -limit..limit, limit at most 2048; never -0.
std::uint16_t integer_half(int limit, const Words& words);
/// Every finite half that is at most `largest` in magnitude, alike: subnormals and both zeros among them.
std::uint16_t bounded_half(std::uint16_t largest, const Words& words);

/// Random sign and fraction, |x| in [2^low, 2^(high+1)); -126 <= low <= high <= 127.
float normal_float(int low, int high, const Words& words);

}  // namespace assay::properties
