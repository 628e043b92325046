// Frequencies of the 16 symbols of an rANS tile: whole numbers that sum to 4096 (docs/formats.md, "rANS").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::reference {

inline constexpr std::size_t kRansSymbols = 16;
inline constexpr unsigned kRansScaleBits = 12;
inline constexpr std::uint32_t kRansSlots = 1U << kRansScaleBits;

using RansCounts = std::array<std::uint64_t, kRansSymbols>;
using RansFrequencies = std::array<std::uint16_t, kRansSymbols>;

/// How often each symbol occurs. Throws std::invalid_argument on a symbol that is not below 16.
RansCounts count_symbols(std::span<const std::uint8_t> symbols);

/// Frequencies in proportion to the counts: at least 1 where there is a symbol, 0 where there is none.
/// Integer arithmetic alone, so the same counts give the same frequencies on every machine. Throws
/// std::invalid_argument when there is no symbol at all or a count does not fit in 32 bits.
RansFrequencies normalise_frequencies(const RansCounts& counts);

/// Their sum; right is kRansSlots.
std::uint32_t frequency_sum(std::span<const std::uint16_t, kRansSymbols> frequencies);

/// Bits that an ideal coder spends on the counted symbols under these frequencies: sum of count * log2(4096 /
/// f). Infinite where a symbol that occurs has frequency 0.
double ideal_bits(const RansCounts& counts, const RansFrequencies& frequencies);

}  // namespace assay::reference
