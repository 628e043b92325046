#include "reference/rans_frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace assay::reference {
namespace {

__extension__ typedef unsigned __int128 Uint128;

/// count * ln((f + 1) / f): what a symbol of frequency f gains from one more, in nats. As a fraction, by the
/// first two terms of 2 artanh(1 / (2 f + 1)), so that no machine's logarithm decides.
struct Gain {
  std::uint64_t numerator, denominator;
  Gain(std::uint64_t count, std::uint64_t f) {
    const std::uint64_t d = 2 * f + 1;
    numerator = count * (3 * d * d + 1);  // below 2^32 * 2^28
    denominator = 3 * d * d * d;
  }
  bool operator>(const Gain& other) const {
    return Uint128{numerator} * other.denominator > Uint128{other.numerator} * denominator;
  }
};

/// The symbol that gains most from one more, and the one that loses least by one less; kRansSymbols where
/// none has one to give. Ties go to the lower symbol.
struct Exchange {
  std::size_t to = kRansSymbols, from = kRansSymbols;

  Exchange(const RansCounts& counts, const RansFrequencies& f) {
    for (std::size_t s = 0; s < kRansSymbols; ++s) {
      if (counts[s] == 0) continue;
      if (to == kRansSymbols || Gain(counts[s], f[s]) > Gain(counts[to], f[to])) to = s;
      if (f[s] < 2) continue;
      if (from == kRansSymbols || Gain(counts[from], f[from] - 1U) > Gain(counts[s], f[s] - 1U)) from = s;
    }
  }
};

}  // namespace

RansCounts count_symbols(std::span<const std::uint8_t> symbols) {
  RansCounts counts{};
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] >= kRansSymbols) {
      throw std::invalid_argument("symbols: element " + std::to_string(i) + " is " +
                                  std::to_string(symbols[i]) + ", must be below 16");
    }
    ++counts[symbols[i]];
  }
  return counts;
}

// The sum of count * log f is concave, so units moved one by one to where they gain more end at its maximum.
RansFrequencies normalise_frequencies(const RansCounts& counts) {
  const std::uint64_t largest = *std::max_element(counts.begin(), counts.end());
  if (largest == 0) throw std::invalid_argument("counts: there is no symbol");
  if (largest > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("counts: " + std::to_string(largest) + " does not fit in 32 bits");
  }
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  RansFrequencies frequencies{};
  for (std::size_t s = 0; s < kRansSymbols; ++s) {
    if (counts[s] == 0) continue;
    frequencies[s] = static_cast<std::uint16_t>(std::max<std::uint64_t>(1, counts[s] * kRansSlots / total));
  }
  for (;;) {
    const Exchange best(counts, frequencies);
    const std::uint32_t sum = frequency_sum(frequencies);
    if (sum < kRansSlots) {
      ++frequencies[best.to];
    } else if (sum > kRansSlots) {
      --frequencies[best.from];
    } else if (best.from != kRansSymbols && Gain(counts[best.to], frequencies[best.to]) >
                                                Gain(counts[best.from], frequencies[best.from] - 1U)) {
      ++frequencies[best.to];
      --frequencies[best.from];
    } else {
      return frequencies;
    }
  }
}

std::uint32_t frequency_sum(std::span<const std::uint16_t, kRansSymbols> frequencies) {
  return std::accumulate(frequencies.begin(), frequencies.end(), std::uint32_t{0});
}

double ideal_bits(const RansCounts& counts, const RansFrequencies& frequencies) {
  double bits = 0;
  for (std::size_t s = 0; s < kRansSymbols; ++s) {
    if (counts[s] == 0) continue;
    const double probability = static_cast<double>(frequencies[s]) / kRansSlots;
    bits -= static_cast<double>(counts[s]) * std::log2(probability);
  }
  return bits;
}

}  // namespace assay::reference
