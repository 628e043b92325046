// The rule that chooses a kernel: which shapes lead where, and why.
#include "kernels/host/choose_kernel.hpp"
#include "tests/error_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <stdexcept>
#include <string>

namespace assay::host {

void PrintTo(const KernelChoice& choice, std::ostream* out) {
  *out << name_of(choice.role) << " with " << choice.slices << " slices, " << choice.threadgroups
       << " threadgroups";
}

namespace {

using testing::HasSubstr;

constexpr KernelChoice kDecode{KernelRole::decode};
constexpr KernelChoice kFused{KernelRole::fused};
constexpr KernelChoice kStaged{KernelRole::staged};
constexpr KernelChoice kTriple{KernelRole::triple};
constexpr KernelChoice kShallow{KernelRole::shallow};
constexpr KernelChoice kHybrid{KernelRole::hybrid};
KernelChoice striped(std::uint32_t slices, std::uint32_t threadgroups) {
  return {KernelRole::striped, slices, threadgroups};
}

GemmProblem fp4(std::size_t M, std::size_t N, std::size_t K) { return {WeightFormat::fp4, M, N, K, 32}; }

device::Limits with_memory(std::size_t bytes) {
  device::Limits limits;
  limits.threadgroup_memory_bytes = bytes;
  return limits;
}

TEST(ChooseKernel, WhichShapesLeadWhere) {
  // 40 cores hold 80 threadgroups of the staged kernel and 120 of the striped one in 32,768 bytes each.
  const struct {
    std::size_t M, N, K;
    KernelChoice choice;
    const char* why;
  } cases[] = {
      {1, 4096, 4096, kDecode, "one token"},
      {16, 64, 16384, kDecode, "as many rows as its tile has, however deep"},
      {17, 4096, 4096, striped(2, 128), "64 tiles are too few for 40 cores, and K is deep"},
      {64, 4096, 4096, striped(2, 128), "the same tiles"},
      {65, 4096, 4096, kStaged, "128 tiles fill it"},
      {64, 5120, 4096, kStaged, "80 tiles just fill it"},
      {64, 5056, 4096, striped(2, 158), "79 do not"},
      {512, 512, 511, striped(2, 128), "16 K tiles, the last one short, are two slices of 8"},
      {512, 512, 512, striped(2, 128), "two slices of 8 K tiles"},
      {512, 512, 480, kFused, "15 K tiles: a slice would have too little for its partial sums"},
      {64, 64, 4096, striped(16, 16), "a single tile, in as many slices of 8 K tiles as there are"},
      {64, 64, 32768, striped(114, 114), "1024 K tiles in slices of 9: 120 wanted, none left empty"},
      {64, 64, 64, kFused, "one small product: most threadgroups at a time"},
      {4096, 4096, 4096, kStaged, "prefill"},
      {4096, 4096, 1, kStaged, "filled, however shallow"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(choose_kernel(fp4(c.M, c.N, c.K), {}), c.choice)
        << c.M << " x " << c.N << " x " << c.K << ": " << c.why;
  }
}

TEST(ChooseKernel, Int4HasTheFusedKernelOnly) {
  for (const auto format : {WeightFormat::u4, WeightFormat::s4}) {
    for (const std::size_t M : {1, 64, 4096}) {
      EXPECT_EQ(choose_kernel({format, M, 4096, 4096, 128}, {}), kFused);
    }
  }
}

TEST(ChooseKernel, FewerCoresAreFilledByFewerTiles) {
  EXPECT_EQ(choose_kernel(fp4(64, 1280, 4096), {}, 10), kStaged);
  EXPECT_EQ(choose_kernel(fp4(64, 1280, 4096), {}, 11), striped(2, 40));
  EXPECT_EQ(choose_kernel(fp4(17, 64, 4096), {}, 1), striped(3, 3));
}

TEST(ChooseKernel, WhatDoesNotFitIsNotChosen) {
  const GemmProblem decode = fp4(1, 4096, 4096), wide = fp4(128, 4096, 4096), deep = fp4(64, 64, 4096);
  EXPECT_EQ(choose_kernel(decode, with_memory(15360)), kDecode);
  EXPECT_EQ(choose_kernel(decode, with_memory(15359)), kFused)
      << "64 tiles, and one striped threadgroup a core";
  EXPECT_EQ(choose_kernel(wide, with_memory(16384)), kStaged);
  EXPECT_EQ(choose_kernel(wide, with_memory(16383)), kFused);
  EXPECT_EQ(choose_kernel(deep, with_memory(8196)), striped(16, 16));
  EXPECT_EQ(choose_kernel(deep, with_memory(8195)), kFused);
  EXPECT_EQ(choose_kernel(deep, with_memory(4608)), kFused);
  EXPECT_THAT(error_of([&] { choose_kernel(deep, with_memory(4607)); }),
              HasSubstr("needs 4608 bytes of threadgroup memory"));

  device::Limits limits;
  limits.threads_per_threadgroup = 127;
  EXPECT_THAT(error_of([&] { choose_kernel(deep, limits); }), HasSubstr("128 threads"));
  limits = {};
  limits.simdgroup_width = 64;
  EXPECT_THAT(error_of([&] { choose_kernel(deep, limits); }), HasSubstr("simdgroups of 64"));
}

TEST(ChooseKernel, PartialSumsFitInABuffer) {
  device::Limits limits;
  limits.buffer_bytes = 5 * 4 * 64 * 64;
  EXPECT_EQ(choose_kernel(fp4(64, 64, 4096), limits), striped(5, 5));
  limits.buffer_bytes = 2 * 4 * 64 * 64 - 1;
  EXPECT_EQ(choose_kernel(fp4(64, 64, 4096), limits), kFused);
}

TEST(ChooseKernel, SizesOutOfReachAreRefusedByField) {
  const auto error = [](GemmProblem problem) { return error_of([&] { choose_kernel(problem, {}); }); };
  EXPECT_THAT(error(fp4(0, 1, 1)), HasSubstr("M: "));
  EXPECT_THAT(error(fp4(1, 0, 1)), HasSubstr("N: "));
  EXPECT_THAT(error(fp4(1, 1, 0)), HasSubstr("K: "));
  EXPECT_THAT(error({WeightFormat::fp4, 1, 1, 1, 0}), HasSubstr("group_size: "));
  EXPECT_THAT(error({WeightFormat::u4, 1, 1, 1, 12}), HasSubstr("group_size: "));
  EXPECT_THAT(error({WeightFormat::u4, 1, 1, 1, std::size_t{1} << 32}), HasSubstr("group_size: "));
  EXPECT_THAT(error(fp4(1, 1, 0xFFFFFFFF)), HasSubstr("K: "));
  EXPECT_THAT(error(fp4(65536, 1, 65536)), HasSubstr("A: "));
  EXPECT_THAT(error(fp4(65536, 65536, 1)), HasSubstr("C: "));
  EXPECT_THAT(error(fp4(1, 65536, 65536 * 8)), HasSubstr("words: "));
  EXPECT_EQ(error(fp4(65535, 65536, 1)), "no error");
}

TEST(ChooseKernel, AGivenChoiceIsChecked) {
  const auto error = [](KernelChoice choice, const GemmProblem& problem, const device::Limits& limits = {}) {
    return error_of([&] { check(choice, problem, limits); });
  };
  const GemmProblem problem = fp4(64, 64, 64);
  for (const KernelChoice choice :
       {kDecode, kFused, kStaged, striped(7, 100), striped(1, 1), kTriple, kShallow, kHybrid}) {
    EXPECT_EQ(error(choice, problem), "no error");
  }
  EXPECT_THAT(error(kStaged, {WeightFormat::u4, 64, 64, 64, 32}), HasSubstr("no staged kernel for u4"));
  EXPECT_THAT(error(kStaged, problem, with_memory(16383)), HasSubstr("marlin_gemm_fp4 needs 16384 bytes"));
  EXPECT_THAT(error(kTriple, problem, with_memory(24575)),
              HasSubstr("marlin_gemm_fp4_triple needs 24576 bytes"));
  EXPECT_THAT(error(kShallow, {WeightFormat::u4, 64, 64, 64, 32}), HasSubstr("no shallow kernel for u4"));
  EXPECT_THAT(error({KernelRole::hybrid, 1, 2}, problem), HasSubstr("slices and threadgroups are for"));
  EXPECT_THAT(error({KernelRole::fused, 2, 0}, problem), HasSubstr("slices and threadgroups are for"));
  EXPECT_THAT(error({KernelRole::fused, 1, 1}, problem), HasSubstr("slices and threadgroups are for"));
  EXPECT_THAT(error(striped(0, 1), problem), HasSubstr("slices: "));
  EXPECT_THAT(error(striped(1, 0), problem), HasSubstr("threadgroups: "));
  EXPECT_THAT(error(striped(524'289, 1), problem), HasSubstr("slices: "));
  EXPECT_THAT(error(striped(2, 0xFFFFFFFF), problem), HasSubstr("threadgroups: "));
}

TEST(ChooseKernel, EveryChoiceIsSoundAndNoSliceIsEmpty) {
  std::map<KernelRole, int> seen;
  for (const std::size_t M : {1, 16, 17, 63, 64, 65, 200, 1000, 4096}) {
    for (const std::size_t N : {1, 64, 65, 300, 1000, 2048, 5000}) {
      for (const std::size_t K : {1, 32, 255, 511, 512, 513, 1000, 2817, 4096, 16384}) {
        for (const std::size_t memory : {4608, 8196, 16384, 32768, 65536}) {
          for (const unsigned cores : {1U, 10U, 40U, 80U}) {
            const GemmProblem problem = fp4(M, N, K);
            const KernelChoice choice = choose_kernel(problem, with_memory(memory), cores);
            ASSERT_NO_THROW(check(choice, problem, with_memory(memory)));
            ++seen[choice.role];
            if (choice.role != KernelRole::striped) continue;
            const std::size_t k_tiles = (K + 31) / 32;
            const std::size_t depth = (k_tiles + choice.slices - 1) / choice.slices;
            ASSERT_GT(choice.slices, 1u);
            ASSERT_GE(depth, 8u) << M << " x " << N << " x " << K;
            ASSERT_LT((choice.slices - 1) * depth, k_tiles) << M << " x " << N << " x " << K;
            ASSERT_EQ(choice.threadgroups, choice.slices * striped_tiles(problem));
          }
        }
      }
    }
  }
  for (const KernelChoice& choice : {kDecode, kFused, kStaged, KernelChoice{KernelRole::striped}}) {
    EXPECT_GT(seen[choice.role], 100) << name_of(choice.role);
  }
  EXPECT_EQ(seen.size(), 4u) << "the kernels of three buffers are for who asks for them";
}

}  // namespace
}  // namespace assay::host
