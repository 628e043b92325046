// Conformance: arithmetic of every width, and vectors and small matrices in registers.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

class ConformanceOfArithmetic : public BothModes {};
ASSAY_CHECKED_MODE(ConformanceOfArithmetic);

// The upper half of a float, to nearest even.
std::uint16_t bfloat_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
float rounded_to_bfloat(float x) { return std::bit_cast<float>(std::uint32_t{bfloat_bits(x)} << 16); }
float rounded_to_half(float x) { return float(static_cast<Half>(x)); }

TEST_P(ConformanceOfArithmetic, WholeNumbers) {
  const std::vector<int> in = {100, -100, 65535, 70000, -1, 12};
  struct {
    std::int32_t by = 3, modulus = 1000;
    std::int64_t large = std::int64_t{1} << 40;
  } shifts;
  auto kernel = conformance_kernel("integer_arithmetic", "quotients");
  kernel.buffer(0, in).buffer(1, std::vector<int>(8 * in.size())).value(2, shifts);
  kernel.buffer(3, std::vector<std::int64_t>(in.size())).grid({1, 1, 1}, {unsigned(in.size()), 1, 1});
  const auto finished = run_clean(kernel);
  const auto out = finished.values<int>(1);
  const auto wide = finished.values<std::int64_t>(3);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int x = in[i], narrow = x & 0xFFFF, lane = int(i);
    EXPECT_EQ(wide[i], (shifts.large + x) / 1000003 * 10 + (shifts.large - x) % 3) << x;
    std::vector<int> row = {x / 7 * 1000 + std::min(5, x % 11), narrow / 3 * (x < 0 ? -1 : 1) + narrow % 7,
                            int(std::uint32_t(x) % 1000), x * 8 >> 1};
    // 8 after k = 1, 40 after 3, 152 after 9, where it ends with k = 27.
    row.push_back(152 + 1 + lane * (lane - 1) / 2 + 27);
    // Additions go around three elements until four turns are over or the first has 1000.
    int a = x, b = 0, c = 1;
    for (int turn = 0; turn < 4 && a < 1000; ++turn) a += b, b += c, c += a;
    row.insert(row.end(), {a, b + 7, (narrow & 0xF0) + (narrow & 0xF000) + (x & 255) / 16});
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(out[8 * i + k], row[k]) << x << " " << k;
  }
}

TEST_P(ConformanceOfArithmetic, ReadingsInCodesOfFourBits) {
  std::vector<float> in(36, 0);
  const auto numbers = whole_numbers<float>(24, -40, 40, 31);
  std::copy(numbers.begin(), numbers.end(), in.begin());
  in[5] = -48;
  in[17] = 96;
  auto kernel = conformance_kernel("half_and_bfloat_arithmetic", "store_readings");
  kernel.buffer(0, in).buffer(1, std::vector<std::uint8_t>(24)).buffer(2, std::vector<float>(36));
  kernel.grid({1, 1, 1}, {3, 1, 1});
  const auto finished = run_clean(kernel);
  const auto again = finished.values<float>(2);
  const auto steps = finished.values<Half>(1);
  EXPECT_EQ(float(steps[0]), 8);
  EXPECT_EQ(float(steps[4]), -16);
  EXPECT_EQ(float(steps[8]), 0);
  EXPECT_EQ(again[5], -48);
  EXPECT_EQ(again[17], 96);
  for (std::size_t k = 0; k < 36; ++k)
    EXPECT_LE(std::abs(again[k] - in[k]), k < 12 ? 4 : k < 24 ? 8 : 0) << k;
}

TEST_P(ConformanceOfArithmetic, HalvesAndBfloatsRound) {
  const std::vector<Half> a = {Half(0.1), Half(1000), Half(-2.5), Half(3.14159), Half(0)};
  const std::vector<float> b = {1, 257 * 0.5f, 0.75f, -3, 100};
  const std::vector<std::int8_t> bytes = {1, -1, 127, -128};
  std::vector<std::uint16_t> b_bits;
  for (const float x : b) b_bits.push_back(bfloat_bits(x));
  auto kernel = conformance_kernel("half_and_bfloat_arithmetic", "round_halves");
  kernel.buffer(0, a).buffer(1, b_bits).buffer(2, bytes).buffer(3, std::vector<float>(56));
  kernel.grid({1, 1, 1}, {4, 1, 1});
  const auto out = run_clean(kernel).values<float>(3);
  for (std::size_t i = 0; i < 4; ++i) {
    const float x = float(a[i]), y = float(a[i + 1]);
    const float u = rounded_to_bfloat(b[i]), v = rounded_to_bfloat(b[i + 1]), c = bytes[i];
    const std::vector<float> row = {rounded_to_half(rounded_to_half(x / 16) * 3),
                                    std::min(x, y),
                                    rounded_to_half(-x * y),
                                    c * 0.5f + float(std::uint8_t(bytes[i])) * 256.f,
                                    rounded_to_half(rounded_to_half(rounded_to_half(x + y) + x) + 1024),
                                    x / 3.0f,
                                    rounded_to_half(1.0f / (x + 3.f)),
                                    2040 + 256,
                                    rounded_to_bfloat(u + v),
                                    rounded_to_bfloat(u / v),
                                    rounded_to_bfloat(u * 1.01f),
                                    256.f - 8.f * u,
                                    rounded_to_bfloat(std::max(u, v) * 3),
                                    u > 0 ? 1 : 1 / std::sqrt(rounded_to_bfloat(v * v))};
    for (std::size_t k = 0; k < 14; ++k) EXPECT_EQ(out[14 * i + k], row[k]) << i << " " << k;
  }
}

TEST_P(ConformanceOfArithmetic, FunctionsOfTheLibrary) {
  auto kernel = conformance_kernel("half_and_bfloat_arithmetic", "use_library");
  kernel.buffer(0, std::vector<float>(4, -1));
  const auto out = run_clean(kernel).values<float>(0);
  EXPECT_EQ(out[0], 0);
  EXPECT_NEAR(out[1], std::tanh(0.5), 1e-6);
  EXPECT_EQ(out[2], 3);
  EXPECT_EQ(out[3], std::numeric_limits<float>::infinity());
}

TEST_P(ConformanceOfArithmetic, VectorsAndMatricesInRegisters) {
  std::vector<Half> halves(16);
  std::vector<float> floats(16);
  for (std::size_t k = 0; k < 16; ++k) halves[k] = Half(0.1 * double(k)), floats[k] = 1000 + 0.3f * float(k);
  auto kernel = conformance_kernel("register_matrices", "registers");
  kernel.buffer(0, halves).buffer(1, floats).buffer(2, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  kernel.buffer(3, std::vector<float>(7)).buffer(4, std::vector<float>(48));
  kernel.buffer(5, std::vector<Half>{0, 0, 0, 0, 3, 0, 0, 7});
  const auto finished = run_clean(kernel);
  const auto sums = finished.values<float>(4);
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_EQ(sums[k], 0.5f * float(k) + (k == 6 ? 100 : 2 * float(k))) << k;
    EXPECT_EQ(sums[16 + k], float(halves[k])) << k;
    EXPECT_EQ(sums[32 + k], rounded_to_half(floats[k])) << k;
  }
  EXPECT_EQ(finished.values<float>(2), (std::vector<float>{8, 7, 6, 5, 1, 2, 3, 4}));
  // (4, 2) less (3, 5) and (1, 1) is (2, -2), shorter than (3, 5).
  EXPECT_EQ(finished.values<float>(3), (std::vector<float>{73, 4000 + 100 + 10 - 4, 2 * 10 - 2, 2, 97, 10 - 1,
                                                           6.5f + 6 + 6.5f + 7 + 7.5f}));
}

}  // namespace
}  // namespace assay::metal
