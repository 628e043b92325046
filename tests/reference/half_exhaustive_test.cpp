// Every float to half against the processor's own conversion, in shards that run in parallel.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "reference/half.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#else
#include "tests/half.hpp"
#endif

namespace assay::reference {
namespace {

constexpr std::uint64_t kShards = 16;
constexpr std::uint64_t kPerShard = (std::uint64_t{1} << 32) / kShards;

#if defined(__x86_64__)
[[gnu::target("f16c")]] std::uint16_t processor_half(float value) {
  return static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
}
#else
// Slower where the processor has none, and as independent.
std::uint16_t processor_half(float value) { return bits_of(static_cast<Half>(value)); }
#endif

class EveryFloat : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EveryFloat, RoundsToHalfAsTheProcessorDoes) {
#if defined(__x86_64__)
  // What has AVX2 has F16C, of which clang 14 cannot ask.
  ASSERT_TRUE(__builtin_cpu_supports("avx2")) << "kernels run on this processor convert halves with F16C";
#endif
  std::uint64_t wrong = 0, first_wrong = 0;
  for (std::uint64_t i = 0; i < kPerShard; ++i) {
    const std::uint64_t bits = GetParam() * kPerShard + i;
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const std::uint16_t got = half_from_float(value), expected = processor_half(value);
    // A NaN is quiet and keeps its sign; the processor keeps what fits of its payload too.
    const bool same =
        half_is_nan(expected) ? got == ((expected & kHalfSign) | kHalfQuietNan) : got == expected;
    if (!same && wrong++ == 0) first_wrong = bits;
  }
  EXPECT_EQ(wrong, 0U) << "the first: float " << std::hex << first_wrong;
}

INSTANTIATE_TEST_SUITE_P(Shards, EveryFloat, testing::Range(std::uint64_t{0}, kShards));

}  // namespace
}  // namespace assay::reference
