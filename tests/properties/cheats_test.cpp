// Kernels that look right without computing: each is rejected within the first cases.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "assay/device/guarded_device.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/trial.hpp"
#include "reference/fp4.hpp"
#include "reference/half.hpp"
#include "tests/device/memory_device.hpp"

namespace assay::properties {
namespace {

using device::MemoryDevice;
using device::MemoryLaunch;
using Halves = std::vector<std::uint16_t>;

KernelEntry entry() {
  return assay::parse_manifest(R"toml([[kernel]]
name = "cheat"
source = "cheat.metal"
operation = "gemm_fp4"
arguments = ["A", "B", "scales", "C", ["M", "N", "K", "group_size"]]
threads_per_threadgroup = 32
tile = { m = 8, n = 8, k = 8 }
grid = "tiles"
)toml",
                               "kernels.toml")
      .at(0);
}

Halves right_product(MemoryLaunch& launch) {
  struct {
    std::uint32_t m, n, k, group_size;
  } size = launch.value<decltype(size)>(4);
  const auto* A = launch.pointer<std::uint16_t>(0);
  const auto* B = launch.pointer<std::uint32_t>(1);
  const auto* scales = launch.pointer<std::uint16_t>(2);
  Halves C(std::size_t{size.m} * size.n);
  for (std::size_t m = 0; m < size.m; ++m) {
    for (std::size_t n = 0; n < size.n; ++n) {
      float sum = 0;
      for (std::size_t k = 0; k < size.k; ++k) {
        const unsigned code = B[k / 8 * size.n + n] >> (4 * (k % 8)) & 0xF;
        const auto w = reference::fp4_weight(code, scales[k / size.group_size * size.n + n]);
        sum += reference::half_to_float(A[m * size.k + k]) * reference::half_to_float(w);
      }
      C[m * size.n + n] = reference::half_from_float(sum);
    }
  }
  return C;
}

void write(MemoryLaunch& launch, const Halves& halves) {
  std::memcpy(launch.pointer<std::uint16_t>(3), halves.data(), 2 * halves.size());
}

/// The first of 60 cases that is rejected, or 60.
std::uint64_t first_rejected(const MemoryDevice::Kernel& kernel) {
  constexpr std::uint64_t kCases = 60;
  const auto cheat = entry();
  MemoryDevice memory;
  memory.add("cheat", kernel);
  device::GuardedDevice first(memory, {.poison = device::kPoison});
  device::GuardedDevice second(memory, {.poison = device::kSecondPoison});
  const Trial trial(cheat, {{&first, device::kPoison}, {&second, device::kSecondPoison}});
  const auto cases =
      trial.operation().cases(traits_of(cheat), {.largest = 1 << 14, .least = 1 << 12, .longest = 0});
  for (std::uint64_t i = 0; i < kCases; ++i) {
    if (trial.run(case_at(cases, 1, i)).outcome.verdict != Verdict::pass) return i;
  }
  return kCases;
}

TEST(Cheats, KernelThatComputesIsNone) {
  EXPECT_EQ(first_rejected([](MemoryLaunch& l) { write(l, right_product(l)); }), 60u);
}

TEST(Cheats, WritesNothing) {
  EXPECT_EQ(first_rejected([](MemoryLaunch&) {}), 0u);
}

// It has the right answer to every case, a launch late.
TEST(Cheats, OutputOfTheLaunchBefore) {
  Halves before;
  EXPECT_LT(first_rejected([&](MemoryLaunch& l) {
              Halves now = right_product(l);
              Halves late = before;
              late.resize(now.size());
              write(l, late);
              before = std::move(now);
            }),
            2u);
}

TEST(Cheats, RightInTheFirstLaunchesOnly) {
  int launches = 0;
  Halves kept;
  EXPECT_LT(first_rejected([&](MemoryLaunch& l) {
              Halves now = right_product(l);
              if (++launches <= 2) kept = now;
              kept.resize(now.size());
              write(l, kept);
            }),
            4u);
}

TEST(Cheats, NanEverywhere) {
  EXPECT_EQ(first_rejected([](MemoryLaunch& l) { write(l, Halves(right_product(l).size(), 0x7E00)); }), 0u);
}

TEST(Cheats, NumbersWhereNanIsDue) {
  EXPECT_LT(first_rejected([](MemoryLaunch& l) {
              Halves C = right_product(l);
              for (auto& one : C) one = reference::half_is_nan(one) ? 0x3C00 : one;
              write(l, C);
            }),
            60u);
}

}  // namespace
}  // namespace assay::properties
