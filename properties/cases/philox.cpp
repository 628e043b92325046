#include "properties/cases/philox.hpp"

#include <Random123/philox.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::properties {
namespace {

std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

#if defined(__x86_64__)
constexpr std::size_t kCounters = 4;        ///< of a vector, one in each of its 64-bit lanes
constexpr std::size_t kCounterVectors = 3;  ///< at a time: so many hide how long a multiplication takes
constexpr int kPhiloxRounds = 10;

/// As many counters as fill whole vectors; how many that were. The lower half of a lane holds one word of its
/// counter's state, and what is in the upper half does not count: _mm256_mul_epu32 takes the lower halves.
__attribute__((target("avx2"))) std::size_t first_words_by_avx2(const PhiloxStream& stream,
                                                                std::uint64_t lower,
                                                                std::span<std::uint32_t> first) {
  constexpr std::size_t kAtOnce = kCounters * kCounterVectors;
  const __m256i m0 = _mm256_set1_epi64x(PHILOX_M4x32_0), m1 = _mm256_set1_epi64x(PHILOX_M4x32_1);
  const __m256i steps = _mm256_set_epi64x(3, 2, 1, 0), even = _mm256_set_epi32(0, 0, 0, 0, 6, 4, 2, 0);
  std::size_t done = 0;
  for (; done + kAtOnce <= first.size(); done += kAtOnce) {
    __m256i c0[kCounterVectors], c1[kCounterVectors], c2[kCounterVectors], c3[kCounterVectors];
    for (std::size_t i = 0; i < kCounterVectors; ++i) {
      const std::uint64_t counter = lower + done + i * kCounters;
      c0[i] = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(counter)), steps);
      c1[i] = _mm256_srli_epi64(c0[i], 32);
      c2[i] = _mm256_set1_epi64x(low_word(stream.upper));
      c3[i] = _mm256_set1_epi64x(high_word(stream.upper));
    }
    std::uint32_t k0 = low_word(stream.key), k1 = high_word(stream.key);
    for (int round = 0; round < kPhiloxRounds; ++round) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      for (std::size_t i = 0; i < kCounterVectors; ++i) {
        const __m256i p0 = _mm256_mul_epu32(c0[i], m0), p1 = _mm256_mul_epu32(c2[i], m1);
        c0[i] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1[i]), key0);
        c2[i] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3[i]), key1);
        c1[i] = p1;
        c3[i] = p0;
      }
      k0 += PHILOX_W32_0;
      k1 += PHILOX_W32_1;
    }
    for (std::size_t i = 0; i < kCounterVectors; ++i) {
      const __m128i words = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(c0[i], even));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(first.data() + done + i * kCounters), words);
    }
  }
  return done;
}
#endif

}  // namespace

std::array<std::uint32_t, 4> philox(const PhiloxStream& stream, std::uint64_t lower) {
  const r123::Philox4x32::ctr_type counter = {
      {low_word(lower), high_word(lower), low_word(stream.upper), high_word(stream.upper)}};
  const r123::Philox4x32::key_type key = {{low_word(stream.key), high_word(stream.key)}};
  const auto drawn = r123::Philox4x32{}(counter, key);
  return {drawn[0], drawn[1], drawn[2], drawn[3]};
}

void philox_first_words(const PhiloxStream& stream, std::uint64_t lower, std::span<std::uint32_t> first) {
  std::size_t done = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) done = first_words_by_avx2(stream, lower, first);
#endif
  for (; done < first.size(); ++done) first[done] = philox(stream, lower + done)[0];
}

}  // namespace assay::properties
