// Conformance: asynchronous copies. Varied: element, direction, what lies beyond a tile, and whether it is
// waited for.
#include <algorithm>

#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

class ConformanceOfAsyncCopies : public BothModes {};
ASSAY_BOTH_MODES(ConformanceOfAsyncCopies);
class ConformanceOfLateCopies : public BothModes {};
ASSAY_CHECKED_MODE(ConformanceOfLateCopies);

constexpr std::uint32_t kLandColumns = 29, kLandRows = 17, kPierTile = 12;

template <class T>
KernelRun freight(const std::string& function, bool waits) {
  auto kernel = conformance_kernel("asynchronous_copies", function);
  kernel.constant(0, waits ? "true" : "false").constant(1, "0");
  kernel.buffer(0, whole_numbers<T>(kLandRows * kLandColumns, 0, 9, 61))
      .buffer(1, whole_numbers<T>(kLandRows * kLandColumns, 0, 1, 62));
  kernel.buffer(2, std::vector<T>(kLandRows * kLandColumns))
      .value(3, std::array<std::uint32_t, 2>{kLandColumns, kLandRows});
  return kernel.grid({(kLandColumns + kPierTile - 1) / kPierTile, (kLandRows + kPierTile - 1) / kPierTile, 1},
                     {96, 1, 1});
}

template <class T>
void expect_carried(const std::string& function, simulator::Mode mode) {
  const auto left = whole_numbers<T>(kLandRows * kLandColumns, 0, 9, 61),
             right = whole_numbers<T>(kLandRows * kLandColumns, 0, 1, 62);
  const auto finished = freight<T>(function, true).run(mode);
  ASSERT_TRUE(finished.report.faults.empty()) << finished.report.faults[0].message;
  const auto sums = finished.template values<T>(2);
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], T(left[i] + 100 * right[i])) << i;
}

TEST_P(ConformanceOfAsyncCopies, CarryTilesThereAndBack) {
  expect_carried<float>("freight_float", GetParam().mode);
  expect_carried<std::uint8_t>("freight_uchar", GetParam().mode);
}

TEST_P(ConformanceOfLateCopies, ThatNobodyWaitsForAreNotDone) {
  const auto finished = freight<float>("freight_float", false).run(GetParam().mode);
  ASSERT_FALSE(finished.report.faults.empty());
  EXPECT_EQ(finished.report.faults[0].kind, device::FaultKind::uninitialised_read);
}

TEST_P(ConformanceOfAsyncCopies, ShowWhatLiesBeyond) {
  const auto land = whole_numbers<Half>(7 * 4 * 4, 1, 9, 63);
  for (const bool shore : {false, true}) {
    auto kernel = conformance_kernel("asynchronous_copies", "whole_tile");
    kernel.constant(1, shore ? "1" : "0");
    kernel.buffer(0, land).buffer(1, std::vector<Half>(5 * 4 * 4)).grid({1, 1, 1}, {32, 1, 1});
    const auto finished = kernel.run(GetParam().mode);
    ASSERT_TRUE(finished.report.faults.empty()) << finished.report.faults[0].message;
    const auto out = finished.values<Half>(1);
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t column = 0; column < 5; ++column) {
        const std::size_t from = std::min<std::size_t>(row, 1) * 7 + std::min<std::size_t>(column, 2);
        for (std::size_t part = 0; part < 4; ++part) {
          const float there = shore || (row < 2 && column < 3) ? float(land[from * 4 + part]) : 0;
          EXPECT_EQ(float(out[(row * 5 + column) * 4 + part]), there) << row << " " << column;
        }
      }
    }
  }
}

TEST_P(ConformanceOfAsyncCopies, CarryRowsOfStructures) {
  struct Crate {
    float size[3];
    std::uint8_t kind, label[3];
  };
  std::vector<Crate> crates(77);
  for (std::size_t i = 0; i < crates.size(); ++i) {
    const float one = float(i);
    crates[i] = {{one, one + 1, 2}, std::uint8_t(i % 5), {}};
  }
  auto kernel = conformance_kernel("asynchronous_copies", "crates");
  kernel.buffer(0, crates)
      .buffer(1, std::vector<float>(crates.size()))
      .value(2, std::uint32_t(crates.size()));
  const auto finished = kernel.grid({1, 1, 1}, {32, 1, 1}).run(GetParam().mode);
  ASSERT_TRUE(finished.report.faults.empty()) << finished.report.faults[0].message;
  const auto volumes = finished.values<float>(1);
  for (std::size_t i = 0; i < crates.size(); ++i)
    EXPECT_EQ(volumes[i], float(i) * float(i + 1) * 2 + float(i % 5)) << i;
}

}  // namespace
}  // namespace assay::metal
