#include "properties/operations/packed4/listed_values.hpp"

#include "properties/cases/special_values.hpp"

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

}  // namespace

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
  if (test_case.regime == "words") return count(kOne, 0, 1, scales);
  count(knob_of(test_case, "scale"), knob_of(test_case, "scale_step"), extent(test_case.dims, "N"), scales);
}

void fill_listed_zeros(const Case& test_case, std::span<std::uint16_t> zeros) {
  if (test_case.regime == "words") return count(kOneHalf, 0, 1, zeros);
  count(knob_of(test_case, "zero"), knob_of(test_case, "zero_step"), extent(test_case.dims, "N"), zeros);
}

}  // namespace assay::properties
