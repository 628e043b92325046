// Samples of large launches: right kernels pass whatever order they number their tiles in, and faults that
// live past a width are rejected where they are.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/run/test_devices.hpp"
#include "harness/verify/report.hpp"
#include "properties/cases/trial.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/shape_cases.hpp"
#include "tests/large/entries.hpp"

namespace assay::properties {
namespace {

namespace fs = std::filesystem;

// C = A x W by a thread an element, in threadgroups of 4 x 8. FAULT says what is wrong with it: what an
// offset goes through, which tile a threadgroup takes, what is stored where.
constexpr const char* kKernel = R"metal(
#include <metal_stdlib>
using namespace metal;
#define INDEX(i) (i)
#define TILE(at, all) (at)
#define STORE C[at] = half(sum)
#if FAULT == 1
#undef INDEX
#define INDEX(i) uint(float(i))
#elif FAULT == 2
#undef INDEX
#define INDEX(i) ((i) & 0xFFFFFFu)
#elif FAULT == 3
#undef INDEX
#define INDEX(i) ((i) & 0x7FFFFFu)
#elif FAULT == 4
#undef INDEX
#define INDEX(i) uint(int((i) * 2) / 2)
#elif FAULT == 5
#undef TILE
#define TILE(at, all) ((all) - 1 - (at))
#elif FAULT == 6
#undef STORE
#define STORE if (column < 3000000) C[at] = half(sum)
#elif FAULT == 7
#undef STORE
#define STORE C[at] = half(sum); if (column == N - 1) C[1000000] = half(77)
#elif FAULT == 8
#undef STORE
#define STORE C[at] = half(sum); ((device half*)scales)[at] = 1
#elif FAULT == 9
#undef STORE
#define STORE C[row == M - 1 && column == N - 1 ? at + 1 : at] = half(sum)
#elif FAULT == 10
#undef TILE
#define TILE(at, all) ((at) % 40000)
#elif FAULT == 11
#undef TILE
#define TILE(at, all) (((at) + (all) / 3) % (all))
#elif FAULT == 12
#undef STORE
#define STORE C[at] = half(row == 2 && column == 1234 ? 77 : sum)
#endif
#ifdef BY_COLUMN
#define SCALE(k) (column * ((K + group_size - 1) / group_size) + (k) / group_size)
#else
#define SCALE(k) ((k) / group_size * N + column)
#endif
constant float kValues[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
kernel void plain(device const half* A [[buffer(0)]], device const uint* B [[buffer(1)]],
                  device const half* scales [[buffer(2)]], device half* C [[buffer(3)]], constant uint& M [[buffer(4)]],
                  constant uint& N [[buffer(5)]], constant uint& K [[buffer(6)]], constant uint& group_size [[buffer(7)]],
                  uint2 group [[threadgroup_position_in_grid]], uint2 groups [[threadgroups_per_grid]],
                  uint2 thread_position [[thread_position_in_threadgroup]]) {
  const uint row = TILE(group.y, groups.y) * 4 + thread_position.y;
  const uint column = TILE(group.x, groups.x) * 8 + thread_position.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (uint k = 0; k < K; ++k) {
    const uint code = B[INDEX(k / 8 * N + column)] >> (4 * (k % 8)) & 15;
    const float value = (code & 8) != 0 ? -kValues[code & 7] : kValues[code & 7];
    sum += float(A[INDEX(row * K + k)]) * (value * float(scales[INDEX(SCALE(k))]));
  }
  const uint at = INDEX(row * N + column);
  STORE;
}
)metal";

class LargeTrial : public ::testing::Test {
 protected:
  LargeTrial() : root_(fs::temp_directory_path() / fmt::format("assay-large-{}", getpid())) {
    fs::create_directories(root_);
    std::ofstream(root_ / "plain.metal") << kKernel;
  }
  ~LargeTrial() override { fs::remove_all(root_); }

  // The kernel with a fault, 0 for none, on a case of these dimensions.
  TrialResult run(int fault, const Dims& dims, run::Mode mode = run::Mode::fast, std::uint64_t budget = 1,
                  const std::string& more = "") {
    const auto entry = parse_manifest(
        fmt::format("[[kernel]]\nname = \"plain\"\nsource = \"{}\"\noperation = \"gemm_fp4\"\n"
                    "arguments = [\"A\", \"B\", \"scales\", \"C\", \"M\", \"N\", \"K\", \"group_size\"]\n"
                    "threads_per_threadgroup = [8, 4, 1]\ngrid = [\"ceil(N / 8)\", \"ceil(M / 4)\", 1]\n"
                    "arithmetic = {{ dequantize = \"half\", accumulate = \"float\" }}\ndefines = {{ FAULT = "
                    "{}{} }}\n",
                    (root_ / "plain.metal").string(), fault, more),
        root_ / "k.toml")[0];
    return run(
        entry,
        {.operation = "gemm_fp4", .dims = dims, .regime = "exact", .knobs = {}, .seed = 3, .budget = budget},
        mode);
  }

  TrialResult run(const KernelEntry& entry, const Case& test_case, run::Mode mode) {
    const run::TestDevices devices(mode);
    const Trial trial(entry, devices.devices());
    const Dims& dims = test_case.dims;
    EXPECT_TRUE(is_large(trial.operation().declaration(), dims));
    TrialResult result = trial.run(test_case);
    text_ = trial.report(dims, result, "");
    return result;
  }

  static Dims wide() { return {{"M", 5}, {"N", 3'355'453}, {"K", 72}, {"group_size", 8}}; }
  static Dims tall() { return {{"M", 300'007}, {"N", 57}, {"K", 40}, {"group_size", 8}}; }
  static Dims widest() { return {{"M", 3}, {"N", 357'913'969}, {"K", 8}, {"group_size", 8}}; }  // C has 2 GiB

  fs::path root_;
  std::string text_;
};

TEST_F(LargeTrial, ARightKernelPasses) {
  for (const auto mode : {run::Mode::fast, run::Mode::checked}) {
    for (const Dims& dims : {wide(), tall(), widest()}) {
      const auto result = run(0, dims, mode);
      EXPECT_EQ(result.outcome.verdict, Verdict::pass) << text_;
      EXPECT_TRUE(result.telling);
    }
  }
}

// Scales as [N, groups]: 2^24 of them and more, in that order, repeat as others do.
TEST_F(LargeTrial, ScalesByColumnPassWithTheirWordAlone) {
  const std::string by_column = ", BY_COLUMN = 1", said = " }\nsemantics = { scales = \"N x groups\"";
  for (const auto mode : {run::Mode::fast, run::Mode::checked}) {
    const auto result = run(0, wide(), mode, 1, by_column + said);
    EXPECT_EQ(result.outcome.verdict, Verdict::pass) << text_;
    EXPECT_TRUE(result.coverage.has("offset of scales past 2^24"));
  }
  EXPECT_EQ(run(0, wide(), run::Mode::fast, 1, by_column).outcome.verdict, Verdict::wrong_result) << text_;
  EXPECT_EQ(run(0, wide(), run::Mode::fast, 1, said).outcome.verdict, Verdict::wrong_result) << text_;
  for (const int narrow : {1, 2}) {
    const auto result = run(narrow, wide(), run::Mode::fast, 1, by_column + said);
    EXPECT_EQ(result.outcome.verdict, Verdict::wrong_result) << narrow << text_;
  }
}

// Outputs that no side of the grid cuts are stored by the first threadgroups along it: of batches, a status.
TEST_F(LargeTrial, AnOutputOfOneRowOfThreadgroupsIsJudgedWhereOthersAreSampled) {
  const auto kernels = testing::our_kernels();
  const auto entry = std::find_if(kernels.begin(), kernels.end(),
                                  [](const KernelEntry& one) { return one.name == "fused_rans_gemm_tiled"; });
  const Operation& operation = find_operation(entry->operation);
  const Dims shape = {{"batch", 1024}, {"M", 65536}, {"N", 128}, {"tile_rows", 64}, {"tile_cols", 64}};
  const auto cases = shape_cases(*entry, operation, operation.cases(traits_of(*entry)), shape);
  for (const auto mode : {run::Mode::fast, run::Mode::checked}) {
    const auto result = run(*entry, cases.at(0), mode);
    EXPECT_EQ(result.outcome.verdict, Verdict::pass) << text_;
  }
}

TEST_F(LargeTrial, CoversWhatItsAnswersNeed) {
  const auto result = run(0, widest());
  for (const char* tag :
       {"offset of C past 2^24", "byte of C past 2^31", "offset of B past 2^24", "offset of A past 2^8"})
    EXPECT_EQ(result.coverage.has(tag), std::string(tag) != "offset of A past 2^8") << tag;
}

TEST_F(LargeTrial, TilesInAnotherOrderAreRight) {
  for (const int order : {5, 11}) {
    const auto result = run(order, wide());
    EXPECT_EQ(result.outcome.verdict, Verdict::pass) << order << text_;
  }
}

TEST_F(LargeTrial, IndicesThatAreTooNarrowAreRejected) {
  for (const auto& [fault, dims] : {std::pair{1, wide()}, {2, wide()}, {3, tall()}}) {
    const auto result = run(fault, dims);
    EXPECT_EQ(result.outcome.verdict, Verdict::wrong_result) << fault << text_;
  }
  const auto result =
      run(4, widest(), run::Mode::checked);  // a negative index: in fast mode the process ends
  EXPECT_EQ(result.outcome.verdict, Verdict::out_of_bounds) << text_;
}

TEST_F(LargeTrial, WhatIsNotStoredIsMissed) {
  const auto result = run(6, wide());
  EXPECT_EQ(result.outcome.verdict, Verdict::wrong_result);
  EXPECT_NE(text_.find("never written"), std::string::npos) << text_;
}

TEST_F(LargeTrial, WhatIsStoredElsewhereIsSeen) {
  const auto result = run(7, wide());
  EXPECT_EQ(result.outcome.verdict, Verdict::wrong_result);
  EXPECT_NE(text_.find("1000000"), std::string::npos) << text_;
}

// Far beyond the first 40,000 tiles threadgroups store what others store, and never their own.
TEST_F(LargeTrial, ThreadgroupsThatStoreWhatOthersStoreAreMissedWhereTheyBelong) {
  const auto fast = run(10, wide());
  EXPECT_EQ(fast.outcome.verdict, Verdict::wrong_result) << text_;
  EXPECT_NE(text_.find("never written"), std::string::npos) << text_;
  const auto checked = run(10, wide(), run::Mode::checked);
  EXPECT_EQ(checked.outcome.verdict, Verdict::race) << text_;
}

TEST_F(LargeTrial, WritingToAnInputThatRepeatsIsACrash) {
  try {
    run(8, widest());
    FAIL() << text_;
  } catch (const process::KernelProcessEnded& ended) {
    EXPECT_EQ(ended.death.signal, SIGSEGV) << ended.death.describe();
  }
}

TEST_F(LargeTrial, AccessesPastTheEndAreSeenInCheckedMode) {
  const auto result = run(9, wide(), run::Mode::checked);
  EXPECT_EQ(result.outcome.verdict, Verdict::out_of_bounds) << text_;
}

// A little more than what is run whole without being asked.
TEST_F(LargeTrial, AWholeLayerSeesWhatASampleDoesNot) {
  const Dims layer = {{"M", 3}, {"N", 2816}, {"K", 1000}, {"group_size", 32}};
  EXPECT_EQ(run(0, layer, run::Mode::fast, 2).outcome.verdict, Verdict::pass) << text_;
  EXPECT_EQ(run(12, layer, run::Mode::fast, 1).outcome.verdict, Verdict::pass) << text_;
  EXPECT_EQ(run(12, layer, run::Mode::fast, 2).outcome.verdict, Verdict::wrong_result) << text_;
}

TEST_F(LargeTrial, ABudgetThatDoesNotCoverALayerRunsMoreOfIt) {
  const Dims layer = {{"M", 4}, {"N", 4096}, {"K", 4096}, {"group_size", 32}};
  const auto ordinary = run(0, layer), more = run(0, layer, run::Mode::fast, 3);
  EXPECT_EQ(more.outcome.verdict, Verdict::pass) << text_;
  ASSERT_EQ(ordinary.evidence.comparisons.size(), 1u);
  EXPECT_GT(more.evidence.comparisons[0].elements, 5 * ordinary.evidence.comparisons[0].elements / 2);
}

}  // namespace
}  // namespace assay::properties
