// The threads of a threadgroup, as texts of several habits let them be seen.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/draft/kernel_reader.hpp"

namespace assay::draft {
namespace {

namespace fs = std::filesystem;

KernelText text_of(const std::string& text) {
  static int number = 0;
  const auto path = fs::temp_directory_path() / fmt::format("assay-threads-{}-{}.metal", getpid(), number++);
  std::ofstream(path) << "#include <metal_stdlib>\nusing namespace metal;\n" << text;
  const auto kernel = read_kernel({path, "k", {}, {}, {}});
  fs::remove(path);
  return kernel;
}

struct Habit {
  const char* name;
  const char* before;
  const char* parameters;
  const char* body;
  device::Size3 threads;  ///< 0: nothing is said
};
class Threads : public testing::TestWithParam<Habit> {};

constexpr const char* kGroupAndThread =
    "uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]";
constexpr const char* kLane =
    "uint g [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]";
constexpr const char* kPlane =
    "uint2 g [[threadgroup_position_in_grid]], uint3 l [[thread_position_in_threadgroup]]";

TEST_P(Threads, AreReadFromTheText) {
  const auto& habit = GetParam();
  const auto kernel =
      text_of(fmt::format("{}\nkernel void k(device float* y, constant uint& n, {}) {{\n{}\n}}\n",
                          habit.before, habit.parameters, habit.body));
  ASSERT_EQ(kernel.threads.has_value(), habit.threads.x != 0);
  if (!kernel.threads) return;
  EXPECT_TRUE(kernel.threads->threads == habit.threads)
      << kernel.threads->why << " " << kernel.threads->threads.x;
}

INSTANTIATE_TEST_SUITE_P(
    All, Threads,
    testing::Values(
        Habit{"Macro",
              "#define LANES 32\n#define TG_SIZE (LANES * 3)",
              kGroupAndThread,
              "y[g * TG_SIZE + t] = 1;",
              {96, 1, 1}},
        Habit{"MacroOfAnotherKernel", "#define TG_SIZE 96", kGroupAndThread, "y[g * n + t] = 1;", {0, 0, 0}},
        Habit{"Vector",
              "constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(8u, 4u, 1u);",
              kPlane,
              "y[(g.y * n + l.y) * n + g.x * n + l.x] = 1;",
              {8, 4, 1}},
        Habit{
            "Stride", "", kGroupAndThread, "for (uint i = t; i < n; i += 96) y[g * n + i] = 1;", {96, 1, 1}},
        Habit{"StrideOfATile",
              "",
              kGroupAndThread,
              "for (int i = int(t); i < 500; i += 160) y[g * 512 + i] = 1;",
              {160, 1, 1}},
        Habit{"Begin", "", kGroupAndThread, "const uint i = t + g * 224u; if (i < n) y[i] = 1;", {224, 1, 1}},
        Habit{"BeginOfSimdgroups",
              "",
              "uint3 g [[threadgroup_position_in_grid]], uint lane "
              "[[thread_index_in_simdgroup]], ushort s [[simdgroup_index_in_threadgroup]]",
              "const int row = int(g.x) * 6 + s; if (lane == 0 && row < int(n)) y[row] = 1;",
              {192, 1, 1}},
        Habit{"BeginInTwoAxes",
              "",
              kPlane,
              "const uint c = g.x * 12 + l.x, r = g.y * 10 + l.y; if (c < n) y[r * n + c] = 1;",
              {12, 10, 1}},
        Habit{"ArrayOfThreads",
              "",
              kGroupAndThread,
              "threadgroup float part[96]; part[t] = 1;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\n"
              "if (t < n) y[g * n + t] = part[n - t];",
              {96, 1, 1}},
        Habit{"ArrayByAVariable",
              "",
              "uint3 g [[threadgroup_position_in_grid]], uint3 l "
              "[[thread_position_in_threadgroup]]",
              "threadgroup float part[96]; const int a = l.x; *(part + a) = 1;\n"
              "threadgroup_barrier(mem_flags::mem_threadgroup); if (a == 0) y[g.x] = part[95];",
              {96, 1, 1}},
        Habit{"PaddedTile",
              "",
              kPlane,
              "threadgroup float tile[16][17]; tile[l.y][l.x] = 1;\n"
              "threadgroup_barrier(mem_flags::mem_threadgroup); y[g.x * n + l.x] = tile[l.x][l.y];",
              {16, 16, 1}},
        Habit{"Bins",
              "",
              kGroupAndThread,
              "threadgroup uint bins[16]; if (t < 16) bins[t] = 0; y[g * n + t] = 1;",
              {0, 0, 0}},
        Habit{"LocalConstant",
              "",
              kGroupAndThread,
              "const uint step = 352; for (uint i = t; i < n; i += step) y[g * n + i] = 1;",
              {352, 1, 1}},
        Habit{"StrideOfPieces",
              "",
              kGroupAndThread,
              "for (uint i = t * 4; i < n; i += 384) y[g * n + i] = 1;",
              {96, 1, 1}},
        Habit{"StrideOverTheGrid",
              "",
              "uint i [[thread_position_in_grid]]",
              "const int all = 480; for (int j = int(i); j < int(n); j += all) y[j] = 1;",
              {480, 1, 1}},
        Habit{"StrideOfAHelper",
              "void fill(device float* to, uint first, uint n) { for (uint i = first; i < n; i += 160) to[i] "
              "= 1; }",
              kGroupAndThread,
              "fill(y + g, t, n);",
              {160, 1, 1}},
        Habit{"StrideOfAProduct",
              "constant uint WIDE = 24, HIGH = 4;",
              kGroupAndThread,
              "for (uint i = t; i < n; i += WIDE * HIGH) y[g * n + i] = 1;",
              {96, 1, 1}},
        Habit{"SlotsOfSimdgroups",
              "",
              kGroupAndThread,
              "threadgroup float part[32]; if (t % 32 == 0) part[t / 32] = 1;\n"
              "threadgroup_barrier(mem_flags::mem_threadgroup); if (t < 32) y[g * n + t] = part[t];",
              {0, 0, 0}},
        Habit{"SlotsByAShift",
              "",
              kGroupAndThread,
              "threadgroup float part[32]; part[t >> 5] = 1;\n"
              "threadgroup_barrier(mem_flags::mem_threadgroup); if (t < 32) y[g * n + t] = part[t];",
              {0, 0, 0}},
        Habit{"OneSimdgroup", "", kLane, "y[g * n + lane] = simd_sum(1.0f);", {32, 1, 1}},
        Habit{"NoLane",
              "",
              "uint g [[threadgroup_position_in_grid]]",
              "const float s = simd_sum(1.0f); if (simd_is_first()) y[g] = s;",
              {32, 1, 1}},
        Habit{"OneThread", "", "uint g [[threadgroup_position_in_grid]]", "y[g] = 1;", {1, 1, 1}},
        Habit{"Nothing", "", kGroupAndThread, "if (t < n) y[g * n + t] = 1;", {0, 0, 0}}),
    [](const auto& one) { return one.param.name; });

struct Step {
  const char* name;
  const char* place;
  const char* loop;
  std::optional<StrideClue::Of> of;
};
class Strides : public testing::TestWithParam<Step> {};

TEST_P(Strides, AScalarSaysHowManyThereAre) {
  const auto& step = GetParam();
  const auto kernel = text_of(fmt::format(
      "struct Sizes {{ uint n, step; }};\nkernel void k(device float* y, constant Sizes& s, uint i "
      "[[{}]]) {{\n  for ({}) y[j] = 1;\n}}\n",
      step.place, step.loop));
  ASSERT_EQ(kernel.strides.size(), step.of ? 1U : 0U);
  if (!step.of) return;
  EXPECT_EQ(kernel.strides.front().scalar, "step");
  EXPECT_EQ(kernel.strides.front().of, *step.of);
}

INSTANTIATE_TEST_SUITE_P(
    All, Strides,
    testing::Values(Step{"Grid", "thread_position_in_grid", "uint j = i; j < s.n; j += s.step",
                         StrideClue::Of::grid},
                    Step{"Threadgroups", "threadgroup_position_in_grid", "uint j = i; j < s.n; j += s.step",
                         StrideClue::Of::threadgroups},
                    Step{"Threads", "thread_index_in_threadgroup",
                         "int j = int(i); j < int(s.n); j += s.step", StrideClue::Of::threads},
                    Step{"OfPieces", "thread_position_in_grid", "uint j = i * 4; j < s.n; j += s.step", {}},
                    Step{"FromZero", "thread_position_in_grid", "uint j = 0; j < s.n; j += s.step", {}}),
    [](const auto& one) { return one.param.name; });

TEST(DraftReader, AxesThatAreLookedAt) {
  const auto kernel = text_of(
      "kernel void k(device float* y, uint3 i [[thread_position_in_grid]],\n"
      "              uint3 g [[threadgroup_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) "
      "{\n"
      "  y[g.y] = float(t.x);\n}\n");
  EXPECT_EQ(kernel.used_axes_of("thread_position_in_grid"), 0U);
  EXPECT_EQ(kernel.used_axes_of("threadgroup_position_in_grid"), 2U);
  EXPECT_EQ(kernel.used_axes_of("thread_position_in_threadgroup"), 1U);
}

TEST(DraftReader, NumbersThatTheTextNames) {
  const auto kernel = text_of(
      "#define ROWS 12\nconstexpr constant ushort kTile = 20;\nconstant constexpr uint kUnused = 24;\n"
      "kernel void k(device float* y, uint i [[thread_position_in_grid]]) { y[i / kTile] = ROWS; }\n");
  EXPECT_THAT(kernel.tiles, testing::ElementsAre(20, 12));
}

}  // namespace
}  // namespace assay::draft
