// Conformance: what the stand-in library alone has to accept, and what it gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/half_oracle.hpp"
#include "tests/metal_stdlib/fake_runtime.hpp"

extern "C" {
void conformance_tables_of_half();
void conformance_unions_and_matrices();
void conformance_float4_in_registers();
void conformance_bfloat_arithmetic();
void conformance_limits_as_static_members();
void conformance_traits();
void conformance_pairs_of_bfloat();
void conformance_product_of_blocks(const void* blocks, const float* weights, float* out, void* staged);
void conformance_largest_into_an_atomic(const float* in, void* memory);
void conformance_shares_by_float4(char* memory, int quads);
void conformance_nearness(const void* points, const float* same, float* products, float* out);
void conformance_blend(const void* a, const void* b, void* c, float of_product, float of_rest);
}

namespace {

TEST(LibraryConformance, TablesOfHalf) { conformance_tables_of_half(); }
TEST(LibraryConformance, UnionsAndMatrices) { conformance_unions_and_matrices(); }
TEST(LibraryConformance, Float4InRegisters) { conformance_float4_in_registers(); }
TEST(LibraryConformance, BfloatArithmetic) { conformance_bfloat_arithmetic(); }
TEST(LibraryConformance, LimitsAsStaticMembers) { conformance_limits_as_static_members(); }
TEST(LibraryConformance, Traits) { conformance_traits(); }
TEST(LibraryConformance, PairsOfBfloat) { conformance_pairs_of_bfloat(); }

// Small whole numbers, the same on every run, with no pattern of rows or columns.
int number(std::size_t k) { return int(k * 7919 % 31) % 9 - 4; }
std::uint16_t half_bits(int x) { return oracle::round(double(x)); }

TEST(LibraryConformance, ProductWithAFunctionAsTemplateArgument) {
  struct HueBlock {
    std::uint16_t scale;
    std::uint8_t hues[8];
  };
  std::vector<HueBlock> blocks(8);
  std::vector<float> weights(64), out(64);
  std::vector<std::uint16_t> staged(64);
  for (std::size_t k = 0; k < 64; ++k) {
    blocks[k / 8].scale = half_bits(int(k / 8) - 3);
    blocks[k / 8].hues[k % 8] = static_cast<std::uint8_t>(number(k) + 4);
    weights[k] = float(number(k + 100));
  }
  fake::run_simdgroup(
      [&] { conformance_product_of_blocks(blocks.data(), weights.data(), out.data(), staged.data()); });
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 8; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < 8; ++k)
        sum += (float(r) - 3) * float(blocks[r].hues[k]) * weights[8 * k + c];
      EXPECT_EQ(out[8 * r + c], sum) << r << " " << c;
    }
  }
}

TEST(LibraryConformance, LargestIntoAnAtomicFloat) {
  std::vector<float> in(32);
  for (std::size_t k = 0; k < 32; ++k) in[k] = float(k * 13 % 32) - 40.5f;
  float result = -std::numeric_limits<float>::infinity();
  fake::run_simdgroup([&] { conformance_largest_into_an_atomic(in.data(), &result); });
  EXPECT_EQ(result, -9.5f);
}

TEST(LibraryConformance, SharesByFloat4) {
  constexpr std::size_t kQuads = 41;
  alignas(16) char memory[kQuads * 16];
  float values[4 * kQuads];
  double sum = 0;
  for (std::size_t k = 0; k < 4 * kQuads; ++k) sum += std::exp(values[k] = float(number(k)) * 0.5f);
  std::memcpy(memory, values, sizeof values);
  fake::run_simdgroup([&] { conformance_shares_by_float4(memory, kQuads); });
  for (std::size_t k = 0; k < 4 * kQuads; ++k) {
    float share;
    std::memcpy(&share, memory + 4 * k, 4);
    EXPECT_NEAR(share, std::exp(double(values[k])) / sum, 1e-7) << k;
  }
}

TEST(LibraryConformance, TransposedLoads) {
  std::vector<std::uint16_t> points(64);
  std::vector<float> same(64), products(64), out(64);
  for (std::size_t k = 0; k < 64; ++k) {
    points[k] = half_bits(number(k));
    same[k] = float(number(k));
  }
  fake::run_simdgroup([&] { conformance_nearness(points.data(), same.data(), products.data(), out.data()); });
  const auto far = [&](std::size_t r, std::size_t c) {
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum += std::pow(same[8 * r + k] - same[8 * c + k], 2);
    return sum;
  };
  double most = 0;
  for (std::size_t k = 0; k < 64; ++k) most = std::max(most, far(k / 8, k % 8));
  for (std::size_t k = 0; k < 64; ++k) EXPECT_NEAR(out[k], std::exp(-far(k / 8, k % 8) / most), 1e-5) << k;
}

TEST(LibraryConformance, BlendByThreadElements) {
  std::vector<std::uint16_t> a(64), b(64), c(64);
  for (std::size_t k = 0; k < 64; ++k) {
    a[k] = half_bits(number(k)), b[k] = half_bits(number(k + 64)), c[k] = half_bits(number(k + 128));
  }
  fake::run_simdgroup([&] { conformance_blend(a.data(), b.data(), c.data(), 0.5f, 3); });
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t col = 0; col < 8; ++col) {
      int sum = 0;
      for (std::size_t k = 0; k < 8; ++k) sum += number(8 * r + k) * number(64 + 8 * col + k);
      EXPECT_EQ(c[8 * r + col], oracle::round(0.5 * sum + 3 * number(128 + 8 * r + col))) << r << " " << col;
    }
  }
}

}  // namespace
