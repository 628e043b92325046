#include "properties/operations/packed4/listed_values.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "properties/cases/special_values.hpp"
#include "properties/operations/packed4/lost_bits.hpp"

namespace assay::properties {
namespace {

Knob knob(std::string name, std::int64_t largest) {
  return {std::move(name), [largest](const Dims&, const Arithmetic&) { return largest; }};
}

/// [groups, N] of the bits `first` + n `step`.
void count(std::int64_t first, std::int64_t step, std::size_t N, std::span<std::uint16_t> halves) {
  for (std::size_t i = 0; i < halves.size(); ++i) {
    halves[i] = static_cast<std::uint16_t>(first + static_cast<std::int64_t>(i % N) * step);
  }
}

constexpr const char* kExponents = "exponents";

struct Counted {
  const char* words;
  std::int64_t scale, scale_step, zero, zero_step;
};
/// Bits of halves: 0x400 is a power of two more. The first four are for weights without zero points, too.
constexpr std::array<Counted, 12> kCounted = {
    {{"each code under scales of every power of two", 0, 0x400, 0, 0},
     {"each code under scales just below every power of two", 0x3FF, 0x400, 0, 0},
     {"each code under scales just above every power of two", 1, 0x400, 0, 0},
     {"weights about the largest half", 0x7930, 1, 0, 0},
     {"zero points of every power of two", kOne, 0, 0, 0x400},
     {"tiny zero points beside scales of many fractions", kOne, 0x25, 5, 0},
     {"tiny negative zero points beside scales of many fractions", kOne, 0x25, 0x8005, 0},
     {"zero points from 2^-14 on beside the largest scale", kLargestFinite, 0, 0x8400, 0x40},
     {"zero points from 1,024 on", kOne, 0, 0x6400, 0x21},
     {"a code of 0 beyond the largest half", 0x6AD6, 0, 0x4D00, 0},
     {"zero points about -2,048, from where halves are 2 apart", 0x3E00, 0, 0xE7E0, 1},
     {"zero points about 2,048", 0x3E00, 0, 0x67E0, 1}}};
constexpr std::size_t kCountedWithoutZeros = 4;
/// A knob of "count", of the kind of "exponents" behind those above alone.
constexpr const char* kLostBits = "lost_bits";

}  // namespace

PlannedRegime exponents_regime(const WeightFormat& format) {
  const std::size_t count = format.zero_points ? kCounted.size() : kCountedWithoutZeros;
  std::vector<std::string> words;
  for (const Counted& one : std::span(kCounted).first(count)) words.emplace_back(one.words);
  if (format.zero_points) words.emplace_back("zero points of which a difference in float loses bits");
  const auto last = std::ssize(words) - 1;
  return {.regime = {.name = kExponents,
                     .about = "each code with scales, and zero points, of every exponent",
                     .knobs = {{"kind", [last](const Dims&, const Arithmetic&) { return last; },
                                std::move(words)}},
                     .half_sums_safe = false},
          .sizes =
              [](const Tile&) {  // each of 16 codes in each of 64 columns; and one, which meets no other
                return std::vector<Dims>{{{"M", 16}, {"N", 64}, {"K", 16}, {"group_size", 16}},
                                         {{"M", 1}, {"N", 64}, {"K", 1}, {"group_size", 8}}};
              },
          .lent = false};
}

Case as_counted(const Case& test_case) {
  if (test_case.regime != kExponents) return test_case;
  const Counted& one = kCounted[static_cast<std::size_t>(
      std::clamp<std::int64_t>(knob_of(test_case, "kind"), 0, std::ssize(kCounted) - 1))];
  Case counted = test_case;
  counted.regime = "count";
  counted.knobs = {{kLostBits, knob_of(test_case, "kind") == std::ssize(kCounted) ? 1 : 0},
                   {"scale", one.scale},
                   {"scale_step", one.scale_step},
                   {"zero", one.zero},
                   {"zero_step", one.zero_step}};
  return counted;
}

std::vector<Regime> listed_regimes(const WeightFormat& format, bool product) {
  std::vector<Knob> counted = {knob("scale", 0xFFFF), knob("scale_step", 0xFFFF), knob("shift", 15)};
  if (format.zero_points) {
    counted.push_back(knob("zero", 0xFFFF));
    counted.push_back(knob("zero_step", 0xFFFF));
  }
  if (product) counted.push_back(knob("first", 0x7FFF'FFFF));
  return {
      {.name = "count", .about = "scales, zero points and codes counted up", .knobs = std::move(counted)},
      {.name = "words", .about = "packed words counted up", .knobs = {knob("word", 0xFFFF'FFFF)}},
  };
}

bool is_listed(const Case& test_case) { return test_case.regime == "count" || test_case.regime == "words"; }

std::vector<std::uint8_t> listed_codes(const Case& test_case) {
  const std::size_t K = extent(test_case.dims, "K"), N = extent(test_case.dims, "N");
  const bool words = test_case.regime == "words";
  const auto first = static_cast<std::uint64_t>(knob_of(test_case, "word"));
  const auto shift = static_cast<std::size_t>(knob_of(test_case, "shift"));
  std::vector<std::uint8_t> codes(K * N);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) {
      const std::size_t bits = words ? word_of(first + k / 8 * N + n) >> (4 * (k % 8)) : k + n + shift;
      codes[k * N + n] = static_cast<std::uint8_t>(bits & 0xF);
    }
  }
  return codes;
}

void fill_listed_scales(const Case& test_case, std::span<std::uint16_t> scales) {
  if (knob_of(test_case, kLostBits) == 1) {
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = lost_bits(i % extent(test_case.dims, "N")).scale;
    return;
  }
  if (test_case.regime == "words") return count(kOne, 0, 1, scales);
  count(knob_of(test_case, "scale"), knob_of(test_case, "scale_step"), extent(test_case.dims, "N"), scales);
}

void fill_listed_zeros(const Case& test_case, std::span<std::uint16_t> zeros) {
  if (knob_of(test_case, kLostBits) == 1) {
    for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = lost_bits(i % extent(test_case.dims, "N")).zero;
    return;
  }
  if (test_case.regime == "words") return count(kOneHalf, 0, 1, zeros);
  count(knob_of(test_case, "zero"), knob_of(test_case, "zero_step"), extent(test_case.dims, "N"), zeros);
}

}  // namespace assay::properties
