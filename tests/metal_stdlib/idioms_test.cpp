// Kernels as they are written elsewhere, run on a fake simdgroup.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "tests/metal_stdlib/fake_runtime.hpp"
#include "tests/metal_stdlib/half_oracle.hpp"

namespace {

struct MulMmArguments {
  std::int32_t ne00, ne02;
  std::uint64_t nb01, nb02;
  std::int32_t ne12;
  std::uint64_t nb10, nb11;
  std::int32_t ne0, ne1;
  std::int16_t r2;
};

}  // namespace

extern "C" {
void ggml_mul_mm_q4_0(const void* args, const char* src0, const char* src1, char* dst, char* shmem);
void ggml_soft_max(const char* src0, char* dst, float* buf, int n);
void ggml_dequantizers_agree();
void mlx_block_loader(const void* source, void* target, int columns, int rows, bool whole);
void mlx_mma_tile(const void* a, const void* b, void* c, float alpha, float beta);
void mlx_qmv(const std::uint8_t* w, const std::uint16_t* x, std::uint16_t* y);
void mlx_reduce_max(float* out, const float* values);
void mlx_scalars();
void flash_attention(const void* Q, const void* K, const void* V, float* O, float* shared, unsigned keys);
void flash_fragments();
}

namespace {

TEST(Ggml, DequantizersOfOneBlockAgree) { ggml_dequantizers_agree(); }

TEST(Ggml, SoftMaxOverRegistersAndLanes) {
  constexpr int n = 256;
  alignas(16) float source[n], result[n], buffer[32];
  double sum = 0;
  for (int i = 0; i < n; ++i) source[i] = static_cast<float>(i % 13) * 0.5f;
  for (const float x : source) sum += std::exp(static_cast<double>(x));
  fake::run_simdgroup(
      [&] { ggml_soft_max(reinterpret_cast<char*>(source), reinterpret_cast<char*>(result), buffer, n); });
  for (int i = 0; i < n; ++i) EXPECT_NEAR(result[i], std::exp(static_cast<double>(source[i])) / sum, 1e-7);
}

// The threadgroup has four simdgroups: here they run one after another, which a kernel of barriers does not
// survive, unless each one's part is staged before. One K tile, and three passes, leave the last pass with
// all of it staged.
TEST(Ggml, MulMmOfQ4BlocksAndFloats) {
  constexpr int kRows = 64, kColumns = 32, kDepth = 32;
  struct Block {
    std::uint16_t d;
    std::uint8_t qs[16];
  };
  std::vector<Block> weights(kRows);
  std::vector<float> activations(static_cast<std::size_t>(kColumns) * kDepth), result(kRows * kColumns);
  std::mt19937 random(1);
  for (auto& block : weights) {
    block.d = 0x3C00;
    for (auto& q : block.qs) q = static_cast<std::uint8_t>(random());
  }
  for (auto& x : activations) x = static_cast<float>(static_cast<int>(random() % 15) - 7);
  MulMmArguments args = {kDepth, 1, sizeof(Block), 0, 1, 4, kDepth * 4, kRows, kColumns, 1};
  alignas(64) static char shared[8192];
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned simdgroup = 0; simdgroup < 4; ++simdgroup) {
      fake::run_simdgroup(
          [&] {
            ggml_mul_mm_q4_0(&args, reinterpret_cast<char*>(weights.data()),
                             reinterpret_cast<char*>(activations.data()),
                             reinterpret_cast<char*>(result.data()), shared);
          },
          simdgroup);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      float expected = 0;
      for (std::size_t k = 0; k < kDepth; ++k) {
        const int nibble = k < 16 ? weights[row].qs[k] & 15 : weights[row].qs[k - 16] >> 4;
        expected += static_cast<float>(nibble - 8) * activations[column * kDepth + k];
      }
      ASSERT_EQ(result[column * kRows + row], expected) << row << " " << column;
    }
  }
}

TEST(Mlx, BlockLoaderWholeAndClipped) {
  std::vector<std::uint16_t> source(8 * 64);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint16_t>(i + 1);
  for (const bool whole : {true, false}) {
    std::vector<std::uint16_t> target(8 * 40, 0xFFFF);
    fake::run_simdgroup([&] { mlx_block_loader(source.data(), target.data(), 29, 5, whole); });
    for (std::size_t r = 0; r < 8; ++r) {
      for (std::size_t c = 0; c < 40; ++c) {
        const bool inside = c < 32 && (whole || (r < 5 && c < 29));
        EXPECT_EQ(target[r * 40 + c], inside ? source[r * 64 + c] : c < 32 ? 0 : 0xFFFF) << r << " " << c;
      }
    }
  }
}

TEST(Mlx, FragmentsByThreadElementsMultiply) {
  std::vector<std::uint16_t> a(64), b(64), c(64);
  std::mt19937 random(2);
  for (auto* m : {&a, &b, &c}) {
    for (auto& x : *m) x = oracle::round(static_cast<int>(random() % 9) - 4);
  }
  const auto before = c;
  fake::run_simdgroup([&] { mlx_mma_tile(a.data(), b.data(), c.data(), 0.5f, 2.0f); });
  for (std::size_t i = 0; i < 64; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k)
      sum += oracle::value(a[i / 8 * 8 + k]) * oracle::value(b[k * 8 + i % 8]);
    EXPECT_EQ(oracle::value(c[i]), 0.5 * sum + 2 * oracle::value(before[i])) << i;
  }
}

TEST(Mlx, QuantizedDotProductOfBfloats) {
  std::vector<std::uint8_t> words(32 * 8, 0x32);  // codes 2, 3
  std::vector<std::uint16_t> x(32 * 16, 0x3F80);
  std::uint16_t y = 0;
  fake::run_simdgroup([&] { mlx_qmv(words.data(), x.data(), &y); });
  const float result = std::bit_cast<float>(static_cast<std::uint32_t>(y) << 16);
  EXPECT_EQ(result, 512 * (0.5f * 2.5f - 2));
}

TEST(Mlx, ReduceMaxEndsInAnAtomic) {
  std::vector<float> values(32);
  for (std::size_t i = 0; i < 32; ++i) values[i] = static_cast<float>((i * 7) % 32) - 20;
  float out = -INFINITY;
  fake::run_simdgroup([&] { mlx_reduce_max(&out, values.data()); });
  EXPECT_EQ(out, 11);
}

TEST(Mlx, ScalarsTraitsAndLimits) { mlx_scalars(); }

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
