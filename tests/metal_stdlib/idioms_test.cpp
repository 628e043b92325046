// Attention in one simdgroup, as kernels write it, run on a fake one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/metal_stdlib/fake_runtime.hpp"
#include "tests/metal_stdlib/half_oracle.hpp"

extern "C" {
void flash_attention(const void* Q, const void* K, const void* V, float* O, float* shared, unsigned keys);
void flash_fragments();
}

namespace {

TEST(FlashAttention, FragmentsInMortonOrder) { flash_fragments(); }

TEST(FlashAttention, OnlineSoftmaxEqualsThePlainOne) {
  constexpr unsigned kKeys = 24;
  std::vector<std::uint16_t> q(64), k(kKeys * 8), v(kKeys * 8);
  std::mt19937 random(3);
  for (auto* m : {&q, &k, &v}) {
    for (auto& x : *m) x = oracle::round((static_cast<double>(random() % 257) - 128) / 64);
  }
  alignas(64) float result[64], shared[128];
  fake::run_simdgroup([&] { flash_attention(q.data(), k.data(), v.data(), result, shared, kKeys); });
  for (std::size_t row = 0; row < 8; ++row) {
    double weights[kKeys], total = 0;
    for (std::size_t key = 0; key < kKeys; ++key) {
      double dot = 0;
      for (std::size_t d = 0; d < 8; ++d)
        dot += oracle::value(q[row * 8 + d]) * oracle::value(k[key * 8 + d]);
      total += weights[key] = std::exp(0.5 * dot);
    }
    for (std::size_t d = 0; d < 8; ++d) {
      double expected = 0;
      for (std::size_t key = 0; key < kKeys; ++key)
        expected += weights[key] / total * oracle::value(v[key * 8 + d]);
      EXPECT_NEAR(result[row * 8 + d], expected, 1e-5) << row << " " << d;
    }
  }
}

}  // namespace
