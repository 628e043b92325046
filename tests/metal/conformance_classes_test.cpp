// Conformance: classes, templates, address spaces and namespaces.
#include <algorithm>
#include <cmath>

#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

class ConformanceOfClasses : public BothModes {};
ASSAY_BOTH_MODES(ConformanceOfClasses);
class ConformanceOfSums : public BothModes {};
ASSAY_ALL_WAYS(ConformanceOfSums);
class ConformanceOfNames : public BothModes {};
ASSAY_CHECKED_MODE(ConformanceOfNames);

template <class T>
void expect_play(const Finished& finished, int pitch, bool backwards, int more, int each) {
  const auto out = finished.values<T>(1);
  const int length = 2 * pitch - 3;
  for (int k = 0; k < 2 * pitch; ++k) {
    const int from = backwards ? 2 * pitch - 1 - k : k;
    EXPECT_EQ(float(out[std::size_t(k)]), float(from < length ? from * 3 % 50 : -1)) << k;
  }
  const auto* row = &out[2 * std::size_t(pitch)];
  EXPECT_EQ(float(row[0]), more);
  EXPECT_EQ(float(row[1]), float(each * 100 + 2 * each + 6));
  EXPECT_EQ(float(row[2]), 21.f + 6);
  EXPECT_EQ(float(row[3]), 10.f * 8);
}

// add_product() of ((1, 2), (3, 4)) with the unit matrix doubles it, then twice that and 1.
TEST_P(ConformanceOfClasses, ClassTemplates) {
  std::vector<float> tape(32);
  for (int k = 0; k < 32; ++k) tape[std::size_t(k)] = float(k * 3 % 50);
  auto ahead = conformance_kernel("class_templates", "play_ahead");
  ahead.buffer(0, tape).buffer(1, std::vector<float>(36)).value(2, 29).grid({1, 1, 1}, {8, 1, 1});
  expect_play<float>(run_clean(ahead), 16, false, 5017, 2);
}

TEST_P(ConformanceOfSums, ObjectsInEveryAddressSpace) {
  std::vector<std::pair<float, float>> in(1, {1.5f, 2.0f});
  const auto values = whole_numbers<float>(90, -6, 6, 21);
  for (std::size_t k = 0; k < 90; k += 2) in.push_back({values[k], values[k + 1]});
  double value = 5 + 0.25, slope = 8;
  for (const auto& [v, s] : in) value += v * v, slope += 2 * v * s;
  auto kernel = conformance_kernel("methods_by_address_space", "sum_of_squares");
  kernel.buffer(0, in).buffer(1, std::vector<float>(7)).value(2, std::uint32_t(in.size()));
  kernel.value(3, std::pair<float, float>{0.25f, 8}).buffer(4, std::vector<Half>(2));
  kernel.grid({1, 1, 1}, {32, 1, 1});
  const auto finished = run_clean(kernel);
  EXPECT_EQ(finished.values<float>(1),
            (std::vector<float>{float(value), float(slope), float(value - 5 + 1.5), 4 + 1, 3, 2.5, 1}));
  EXPECT_EQ(finished.values<std::uint16_t>(4), (std::vector<std::uint16_t>{0x4580, 0x2E66}));
}

TEST_P(ConformanceOfClasses, PointersThatAreRecast) {
  std::vector<std::byte> in(192);
  std::vector<Half> halves(32);
  std::vector<float> floats(32);
  for (int k = 0; k < 32; ++k) halves[std::size_t(k)] = static_cast<Half>(k * 2);
  for (int k = 0; k < 32; ++k) floats[std::size_t(k)] = float(100 + k);
  std::memcpy(in.data(), halves.data(), 64);
  std::memcpy(in.data() + 64, floats.data(), 128);
  auto kernel = conformance_kernel("address_space_casts", "recast");
  kernel.buffer(0, in).buffer(1, std::vector<float>(56)).buffer(2, std::vector<std::byte>(32));
  kernel.buffer(3, std::vector<float>{4, 5, 6}).threadgroup_bytes({256}).grid({1, 1, 1}, {32, 1, 1});
  const auto finished = run_clean(kernel);
  std::vector<float> expected(56);
  for (std::size_t i = 0; i < 32; ++i)
    expected[i] = float(halves[31 - i]) + floats[i ^ 1] + float((i + 1) % 32 * 3) + 1;
  const std::vector<float> rest = {203, 101, 46, 1000 + 104, 7, 100, 101, 102, 103};
  std::copy(rest.begin(), rest.end(), expected.begin() + 32);
  expected[41] = (100 + 0 + 101 + 0) + (100 + 101 + 102 + 103) + (1000 + 103);
  expected[42] = 1;
  expected[43] = 109 - 106;
  for (std::size_t k = 0; k < 8; ++k) expected[48 + k] = floats[k];
  EXPECT_EQ(finished.values<float>(1), expected);
  std::vector<std::byte> tiles(32);
  std::copy(in.begin() + 16, in.begin() + 32, tiles.begin() + 16);
  tiles[0] = in[19];
  EXPECT_EQ(finished.buffers.at(2), tiles);
}

TEST_P(ConformanceOfClasses, ParametersAndPositions) {
  constexpr std::uint32_t kWidth = 10, kHeight = 6;
  const auto in = whole_numbers<std::uint32_t>(kWidth * kHeight, 1, 99, 22);
  auto kernel = conformance_kernel("kernel_parameters", "positions");
  kernel.buffer(0, in).buffer(1, std::vector<std::uint32_t>(2 * in.size())).value(2, kWidth).value(3, 3);
  kernel.threadgroup_bytes({128 + 16}).grid({4, 2, 1}, {4, 3, 1});
  const auto out = run_clean(kernel).values<std::uint32_t>(1);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const auto line = y * kWidth + x;
      const std::uint32_t next = x % 4 < 3 && x + 1 < kWidth ? in[line + 1] : 0;
      EXPECT_EQ(out[2 * line], 3 * (in[line] + next)) << x << " " << y;
      EXPECT_EQ(out[2 * line + 1], y / 3 * 100 + x % 4) << x << " " << y;
    }
  }
}

TEST_P(ConformanceOfNames, OneTemplateBehindTwoKernels) {
  auto kernel = conformance_kernel("kernel_parameters", "running_total_half");
  std::vector<Half> values(16), expected(16);
  for (std::size_t k = 0; k < 16; ++k) values[k] = static_cast<Half>(k + 1);
  for (std::size_t k = 0; k < 16; ++k)
    expected[k] = k < 13 ? static_cast<Half>((k + 1) * (k + 2) / 2) : values[k];
  kernel.buffer(0, values).value(1, std::uint32_t{13}).threadgroup_bytes({32}).grid({1, 1, 1}, {16, 1, 1});
  EXPECT_TRUE(run_clean(kernel).values<Half>(0) == expected);
}

TEST_P(ConformanceOfNames, WholeNumbersOf64BitsInConstantSpace) {
  auto kernel = conformance_kernel("kernel_parameters", "by_strides");
  kernel.buffer(0, std::vector<int>{5, 6, 7, 8})
      .buffer(1, std::vector<int>(8))
      .buffer(2, std::vector<int>{2, 2});
  kernel.buffer(3, std::vector<std::int64_t>{1, 2, 2}).grid({1, 1, 1}, {4, 1, 1});
  // Element i of the transpose, and i.
  EXPECT_EQ(run_clean(kernel).values<int>(1), (std::vector<int>{5, 0, 7 + 1, 0, 6 + 2, 0, 8 + 3, 0}));
}

TEST_P(ConformanceOfNames, NamespacesThatAreReopened) {
  auto kernel = conformance_kernel("reopened_namespaces", "count_harvest");
  kernel.buffer(0, std::vector<int>(8)).buffer(1, std::vector<int>{2, 7}).grid({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<int>(0), (std::vector<int>{812, 3, 2112, 703, 2822, 4, 2112, 710}));
}

}  // namespace
}  // namespace assay::metal
