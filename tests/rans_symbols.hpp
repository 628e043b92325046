// Symbols as rANS meets them, from spreads that are each hard in their own way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace assay::tests {

enum class Spread {
  uniform,      ///< all 16 alike: powers of two, no redundancy
  skewed,       ///< each symbol half as likely as the one before
  one_symbol,   ///< frequency 4096: no bytes beside the state
  two_symbols,  ///< one of them rare
};

inline constexpr std::array kSpreads = {Spread::uniform, Spread::skewed, Spread::one_symbol,
                                        Spread::two_symbols};

inline std::vector<std::uint8_t> draw_symbols(Spread spread, std::size_t count, std::mt19937& random) {
  const auto first = static_cast<std::uint8_t>(random() % 16);
  const auto second = static_cast<std::uint8_t>((first + 1 + random() % 15) % 16);
  std::vector<std::uint8_t> symbols(count);
  for (auto& symbol : symbols) {
    const std::uint32_t word = static_cast<std::uint32_t>(random());
    switch (spread) {
      case Spread::uniform:
        symbol = static_cast<std::uint8_t>(word >> 28);
        break;
      case Spread::skewed:
        symbol = static_cast<std::uint8_t>((first + __builtin_clz(word | 0x10000)) % 16);
        break;
      case Spread::one_symbol:
        symbol = first;
        break;
      case Spread::two_symbols:
        symbol = word % 50 == 0 ? second : first;
        break;
    }
  }
  return symbols;
}

}  // namespace assay::tests
