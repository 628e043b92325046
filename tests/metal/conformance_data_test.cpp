// Conformance: layouts, tables and constants, and the kernels that macros stamp.
#include <bit>
#include <limits>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/conformance.hpp"
#include "tests/metal/sources/conformance/calendar_arguments.h"

namespace assay::metal {
namespace {

class ConformanceOfData : public BothModes {};
ASSAY_BOTH_MODES(ConformanceOfData);
class ConformanceOfTables : public BothModes {};
ASSAY_CHECKED_MODE(ConformanceOfTables);
class ConformanceOfRecords : public BothModes {};
ASSAY_ALL_WAYS(ConformanceOfRecords);

struct Palette {
  static constexpr std::size_t kRows = 6, kPixels = 160;
  std::vector<std::uint32_t> words = whole_numbers<std::uint32_t>(kRows * kPixels / 8, 0, 0x7fffffff, 7);
  std::vector<int> gains = whole_numbers<int>(kRows * kPixels / 16, 1, 5, 8);
  std::vector<int> floors = whole_numbers<int>(kRows * kPixels / 16, -9, 9, 9);
  std::vector<int> weights = whole_numbers<int>(kPixels, -4, 7, 10);
};

TEST_P(ConformanceOfData, InstantiationFoundByItsJoinedName) {
  const Palette p;
  auto kernel = conformance_kernel("instantiation_macros", "palette_light_half_bits4_run16");
  kernel.buffer(0, p.words).buffer(1, std::vector<Half>(p.gains.begin(), p.gains.end()));
  kernel.buffer(2, std::vector<Half>(p.floors.begin(), p.floors.end()));
  kernel.buffer(3, std::vector<Half>(p.weights.begin(), p.weights.end()));
  kernel.buffer(4, std::vector<Half>(p.kRows)).value(5, int(p.kPixels)).grid({1, p.kRows / 2, 1}, {64, 1, 1});
  const auto out = run_clean(kernel).values<Half>(4);
  for (std::size_t row = 0; row < p.kRows; ++row) {
    float light = 0;
    for (std::size_t k = 0; k < p.kPixels; ++k) {
      const std::size_t at = row * p.kPixels + k;
      const int shade = int(p.words[at / 8] >> (4 * (at % 8)) & 15);
      light += float(p.weights[k] * (p.gains[at / 16] * shade + p.floors[at / 16]));
    }
    EXPECT_EQ(float(out[row]), float(static_cast<Half>(light))) << row;
  }
}

TEST_P(ConformanceOfTables, InstantiationOfAPastedName) {
  const Palette p;
  auto kernel = conformance_kernel("instantiation_macros", "palette_brightest_float_bits8_run16");
  kernel.buffer(0, p.words).buffer(1, std::vector<float>(p.gains.begin(), p.gains.end()));
  kernel.buffer(4, std::vector<float>(64)).grid({1, 1, 1}, {64, 1, 1});
  const auto out = run_clean(kernel).values<float>(4);
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t most = 0;
    for (int k = 0; k < 4; ++k) most = std::max(most, p.words[i] >> (8 * k) & 255);
    EXPECT_EQ(out[i], float(int(most) * p.gains[i / 4])) << i;
  }
}

TEST_P(ConformanceOfTables, InstantiationThroughAnAlias) {
  auto kernel = conformance_kernel("instantiation_macros", "first_of_runs_back");
  kernel.buffer(0, std::vector<Half>{1, 2, 3, 4}).buffer(1, std::vector<float>(4)).grid({1, 1, 1}, {4, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(1), (std::vector<float>{4.5, 3.5, 2.5, 1.5}));
}

TEST(ConformanceOfInstances, EachHasItsOwnMostThreads) {
  const std::map<std::string, unsigned> most = {{"palette_light_half_bits4_run16", 64},
                                                {"palette_brightest_float_bits8_run16", 128}};
  for (const auto& [name, threads] : most) {
    auto kernel = conformance_kernel("instantiation_macros", name);
    EXPECT_EQ(compile(kernel.source(), Flavour::fast)->max_threads_per_threadgroup(), threads) << name;
  }
}

TEST_P(ConformanceOfTables, ConstantTables) {
  auto kernel = conformance_kernel("constant_tables", "look_up");
  kernel.buffer(0, std::vector<float>(10)).buffer(1, std::vector<Half>(4));
  const auto finished = run_clean(kernel);
  const float turn = 6.283185307179586f;
  EXPECT_EQ(finished.values<float>(0),
            (std::vector<float>{90 + 13, turn, turn + 1.f, 460 - 10 + 0 + 0, 540, 65504,
                                std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max(),
                                10 * 100 + 8, 'x' + 'z' + 100}));
  EXPECT_EQ(finished.values<std::uint16_t>(1), (std::vector<std::uint16_t>{0x2E66, 0xC100, 0x4C00, 0x63D0}));
}

KernelRun sums_of_strides(const std::vector<int>& in) {
  auto kernel = conformance_kernel("function_constants", "sums_of_strides");
  kernel.buffer(0, in).buffer(2, std::vector<float>(in.size())).value(3, int(in.size()));
  kernel.threadgroup_bytes({(4 * in.size() + 15) / 16 * 16}).grid({1, 1, 1}, {unsigned(in.size()), 1, 1});
  return kernel;
}
std::vector<float> expected_sums(const std::vector<int>& in, std::size_t stride, std::size_t terms,
                                 auto&& finish) {
  std::vector<float> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    int sum = 0;
    for (std::size_t k = i, taken = 0; k < in.size() && taken < terms; k += stride, ++taken) sum += in[k];
    out.push_back(float(finish(i, sum)));
  }
  return out;
}

TEST_P(ConformanceOfData, FunctionConstantsLeftOut) {
  const auto in = whole_numbers<int>(40, -50, 50, 11);
  auto kernel = sums_of_strides(in);
  kernel.constant(21, "2").constant(22, "true").constant(23, "false");
  EXPECT_EQ(run_clean(kernel).values<float>(2),
            expected_sums(in, 2, 6, [](auto, int sum) { return sum * 2 * 2; }));
}

TEST_P(ConformanceOfTables, FunctionConstantsGiven) {
  const auto in = whole_numbers<int>(40, -50, 50, 12), offsets = whole_numbers<int>(40, 0, 9, 13);
  auto kernel = sums_of_strides(in);
  kernel.buffer(1, offsets).constant(21, "3").constant(22, "false").constant(23, "true");
  kernel.constant(1, "1").constant(2, "3").constant(3, "0.25").constant(4, "false");
  EXPECT_EQ(run_clean(kernel).values<float>(2), expected_sums(in, 3, 2, [&](std::size_t i, int sum) {
              return (sum + 1 + offsets[i]) * 8 * 0.25;
            }));
}

TEST(ConformanceOfFunctionConstants, AFunctionOfApplesCompilerThatIsReached) {
  auto kernel = sums_of_strides({1, 2});
  kernel.constant(21, "2").constant(22, "true").constant(23, "false").constant(4, "true");
  EXPECT_THROW((void)kernel.run(simulator::Mode::fast), UnsupportedFeature);
}

struct MixLaunch {
  std::int32_t block_count;
  std::int64_t row_bytes;
  std::int16_t rows;
};

TEST_P(ConformanceOfRecords, PackedRecordsOfTwoSimdgroups) {
  constexpr std::size_t kRows = 8, kBlocks = 71, kBytes = kBlocks * 14;
  std::vector<std::uint8_t> bytes(kRows * kBytes);
  const auto samples = whole_numbers<int>(kRows * kBlocks * 8, 0, 40, 14);
  const auto x = whole_numbers<float>(kBlocks * 8, -3, 3, 15);
  std::vector<float> expected(kRows + 1, 0);
  expected[kRows] = -1;
  for (std::size_t b = 0; b < kRows * kBlocks; ++b) {
    const Half gain = static_cast<Half>(b % 3 == 0 ? 0.5 : double(b % 3));
    std::memcpy(&bytes[14 * b], &gain, 2);
    for (std::size_t k = 0; k < 8; ++k) {
      const int sample = samples[8 * b + k] * 101;
      const std::size_t bit = 12 * k;
      for (std::size_t i = 0; i < 12; ++i) {
        const auto set = static_cast<std::uint8_t>((sample >> i & 1) << ((bit + i) % 8));
        bytes[14 * b + 2 + (bit + i) / 8] |= set;
      }
      expected[b / kBlocks] += float(gain) * float(sample) * x[b % kBlocks * 8 + k];
      if (k % 4 == 0) expected[b / kBlocks] -= x[b % kBlocks * 8 + k];
    }
  }
  auto kernel = conformance_kernel("packed_structs_and_unions", "mix_sounds");
  kernel.constant(21, "2").value(0, MixLaunch{kBlocks, kBytes, kRows}).buffer(1, bytes).buffer(2, x);
  kernel.buffer(3, std::vector<float>(kRows + 1, -1)).threadgroup_bytes({4 * 3 * 4});
  kernel.grid({2, 1, 1}, {128, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(3), expected);
}

struct Balance {
  Half left, right;
  std::int8_t drift[3];
  std::uint8_t flags;
};

TEST_P(ConformanceOfTables, UnnamedUnionsAndBytes) {
  std::vector<Balance> in, expected;
  for (int i = 0; i < 5; ++i) {
    const auto drift = [i](int k) { return 10 * i * (k - 1) + k; };
    in.push_back({static_cast<Half>(i), static_cast<Half>(i + 0.5), {}, std::uint8_t(0x13 * i)});
    for (int k = 0; k < 3; ++k) in.back().drift[k] = static_cast<std::int8_t>(drift(k));
    expected.push_back({static_cast<Half>(2 * i + 1 + drift(0) + drift(1)), static_cast<Half>(2 * i), {}, 0});
    for (int k = 0; k < 3; ++k) expected.back().drift[k] = static_cast<std::int8_t>(drift(2 - k) * -3 + 2);
    const int flags = 0x13 * i;
    expected.back().flags = static_cast<std::uint8_t>(flags >> 4 | flags << 4 | 0x80);
  }
  auto kernel = conformance_kernel("packed_structs_and_unions", "balance");
  kernel.buffer(0, in).buffer(1, std::vector<Balance>(5)).grid({1, 1, 1}, {5, 1, 1});
  kernel.value(2, calendar_arguments{-3, std::uint64_t{2} << 33, 1});
  const auto out = run_clean(kernel).values<Balance>(1);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(std::memcmp(&out[i], &expected[i], 8), 0) << i;
}

TEST_P(ConformanceOfTables, UnionsAreAssignedAsAWhole) {
  std::vector<Balance> in, expected(5);
  for (int i = 0; i < 5; ++i) {
    in.push_back(
        {static_cast<Half>(i), static_cast<Half>(i + 0.5), {1, 2, std::int8_t(i)}, std::uint8_t(3 * i)});
    expected[4 - i] = {in[i].left, in[i].left, {std::int8_t(-i), 2, std::int8_t(i)}, std::uint8_t(3 * i)};
  }
  auto kernel = conformance_kernel("packed_structs_and_unions", "exchange");
  kernel.buffer(0, in).buffer(1, std::vector<Balance>(5)).grid({1, 1, 1}, {5, 1, 1});
  const auto out = run_clean(kernel).values<Balance>(1);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(std::memcmp(&out[i], &expected[i], 8), 0) << i;
}

}  // namespace
}  // namespace assay::metal
