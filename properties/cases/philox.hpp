// Random words by counter, Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC
// 2011): one counter at a time, or many, which is several times as fast where the processor has wide vectors.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace assay::properties {

/// What is drawn from: the key, and the upper half of each counter. Their low words come first.
struct PhiloxStream {
  std::uint64_t key = 0;
  std::uint64_t upper = 0;
};

/// The four words of the counter with that lower half.
std::array<std::uint32_t, 4> philox(const PhiloxStream& stream, std::uint64_t lower);

/// The first word of each counter from that lower half on.
void philox_first_words(const PhiloxStream& stream, std::uint64_t lower, std::span<std::uint32_t> first);

}  // namespace assay::properties
