// `assay check`: no verdict hangs on what nobody has told. Kernels that are right if the host does what they
// are written for, and wrong ones whose fault is there whatever is guessed.
#include "tests/end_to_end/check.hpp"

namespace assay::end_to_end {
namespace {

struct Hanging {
  const char* name;
  const char* text;
  std::vector<std::string> options;
  int exit_code;
  const char* says;
};
class CheckHangs : public Check, public testing::WithParamInterface<Hanging> {};

TEST_P(CheckHangs, OnlyWhatIsKnownIsAVerdict) {
  const auto& one = GetParam();
  EXPECT_EQ(check(one.text, one.options).exit_code, one.exit_code) << words_;
  EXPECT_THAT(words_, HasSubstr(one.says));
}

constexpr const char* kRoots =
    "kernel void roots(device const float* x, device float* y, device uint* found, constant uint& n,\n"
    "                  uint i [[thread_position_in_grid]]) {\n"
    "  if (i >= n) return;\n  found[i] = 0;\n  if (x[i] < 0.5f) return;\n"
    "  y[i] = sqrt(x[i]);\n  found[i] = 1;\n}\n";
constexpr const char* kShared =
    "kernel void halve(device const float* x, device float* y, constant uint& n, constant uint& all,\n"
    "                  uint i [[thread_position_in_grid]]) {\n"
    "  for (uint j = i; j < n; j += all) y[j] = x[j] / 2;\n}\n";
constexpr const char* kFloatSize =
    "kernel void copies(device const float* x, device float* y, device const float* p,\n"
    "                   uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]],\n"
    "                   uint all [[threads_per_threadgroup]]) {\n"
    "  const uint n = uint(p[0]);\n  for (uint i = t; i < n; i += all) y[g * n + i] = x[g];\n}\n";
constexpr const char* kSlots =
    "kernel void sums(device const float* x, device float* y, constant uint& n,\n"
    "                 uint2 g [[threadgroup_position_in_grid]], uint3 l [[thread_position_in_threadgroup]]) "
    "{\n"
    "  threadgroup float slots[32];\n  const uint t = l.x;\n  float s = simd_sum(x[g.y * n + t]);\n"
    "  if (t % 32 == 0) slots[t / 32] = s;\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  if (t < 32) s = simd_sum(slots[t]);\n  if (t == 0) y[g.y] = s;\n}\n";
constexpr const char* kBlock =
    "kernel void norm(device const float* x, device float* y, constant int& n,\n"
    "                 uint i [[thread_position_in_grid]]) {\n"
    "  const int width = 1024;\n  threadgroup float slots[32];\n  float s = 0;\n"
    "  for (int j = int(i); j < n; j += width) s += x[j] * x[j];\n  s = simd_sum(s);\n"
    "  if (i % 32 == 0) slots[i / 32] = s;\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  s = simd_sum(slots[i % 32]);\n  if (i == 0) y[0] = s;\n}\n";
constexpr const char* kIntSizes =
    "kernel void dots(constant int* sizes, device const float* a, device const float* b, device float* y,\n"
    "                 uint i [[thread_position_in_grid]]) {\n"
    "  float s = 0;\n  for (int j = 0; j < sizes[0]; ++j) s += a[j] * b[int(i) * sizes[0] + j];\n"
    "  y[i] += s;\n}\n";
constexpr const char* kNested =
    "struct Extent { int columns; int rows; };\nstruct Offset { short by; Extent extent; float2 scale; half "
    "k; };\n"
    "kernel void shifted(device const float* x, device float* y, constant Offset& o,\n"
    "                    uint2 at [[thread_position_in_grid]]) {\n"
    "  if (int(at.x) >= o.extent.columns || int(at.y) >= o.extent.rows) return;\n"
    "  const int i = at.y * o.extent.columns + at.x;\n  y[i] = x[i] * o.scale.x + float(o.k);\n}\n";
constexpr const char* kNarrow =
    "struct Extent { ushort columns; ushort rows; };\n"
    "kernel void twice(device const float* x, device float* y, constant Extent& e,\n"
    "                  uint2 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= e.columns || at.y >= e.rows) return;\n"
    "  y[at.y * e.columns + at.x] = 2 * x[at.y * e.columns + at.x];\n}\n";
constexpr const char* kFive =
    "kernel void scaled(device const half* x, device const half* w, device half* y, constant uint& A,\n"
    "                   constant uint& B, constant uint& C, constant uint& D, constant uint& first,\n"
    "                   uint3 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= D || at.y >= C || at.z >= A * B) return;\n"
    "  const uint i = (at.z * C + at.y) * D + at.x;\n  y[i] = x[i] * w[(at.z % B + first) * D + at.x];\n}\n";
constexpr const char* kLayers =
    "struct Turn { int by; int of; };\n"
    "kernel void turned(texture2d_array<float, access::read> from [[texture(0)]],\n"
    "                   texture2d_array<float, access::write> to [[texture(1)]],\n"
    "                   constant Turn& turn [[buffer(0)]], uint3 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= to.get_width() || at.y >= to.get_height() || at.z >= to.get_array_size()) return;\n"
    "  const uint layer = uint(int(at.z) * turn.by % turn.of);\n"
    "  to.write(from.read(at.xy, layer), at.xy, at.z);\n}\n";
constexpr const char* kAtLeast =
    "kernel void tail(device const float* x, device float* y, constant int& keys, constant int& queries,\n"
    "                 uint i [[thread_position_in_grid]]) {\n"
    "  if (int(i) < queries) y[i] = x[int(i) + keys - queries];\n}\n";
constexpr const char* kUnguarded =
    "kernel void copy(device const float* x, device float* y, constant uint& n,\n"
    "                 uint i [[thread_position_in_grid]]) {\n  y[i] = i <= n ? x[i + 1] : 0;\n}\n";
constexpr const char* kHalfWritten =
    "kernel void even(device const float* x, device float* y, constant uint& n,\n"
    "                 uint i [[thread_position_in_grid]]) {\n  if (i < n && i % 2 == 0) y[i] = x[i];\n}\n";
constexpr const char* kNoBarrier =
    "kernel void turn(device const float* x, device float* y, constant uint& n,\n"
    "                 uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n"
    "  threadgroup float all[1024];\n  all[t] = 0;\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  if (t < n) all[t] = x[g * n + t];\n"
    "  if (t < n) y[g * n + t] = all[t ^ 33];\n}\n";
constexpr const char* kOneSum =
    "kernel void sum(device const float* x, device float* y, constant uint& n,\n"
    "                uint i [[thread_position_in_grid]]) {\n  if (i < n) y[0] += x[i];\n}\n";
constexpr const char* kShifted =
    "kernel void shifted(device const uint* x, device uint* y, constant uint& by, constant uint& n,\n"
    "                    uint i [[thread_position_in_grid]]) {\n  if (i < n) y[i] = x[i] << by;\n}\n";
constexpr const char* kAlwaysShifted =
    "kernel void shifted(device const uint* x, device uint* y, constant uint& n,\n"
    "                    uint i [[thread_position_in_grid]]) {\n"
    "  const uint by = 31 + max(n, 1u);\n  if (i < n) y[i] = x[i] << by;\n}\n";
constexpr const char* kWhole =
    "kernel void whole(device const float* x, device int* y, constant uint& n,\n"
    "                  uint i [[thread_position_in_grid]]) {\n  if (i < n) y[i] = int(x[i]);\n}\n";
constexpr const char* kOverLayers =
    "kernel void layers(texture2d_array<float, access::read> from [[texture(0)]],\n"
    "                   texture2d_array<float, access::write> to [[texture(1)]],\n"
    "                   uint3 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= to.get_width() || at.y >= to.get_height() || at.z >= to.get_array_size()) return;\n"
    "  for (uint z = 0; z < to.get_array_size(); ++z) to.write(from.read(at.xy, z), at.xy, z);\n}\n";

INSTANTIATE_TEST_SUITE_P(
    All, CheckHangs,
    testing::Values(
        Hanging{"StoresThatFollowInputs", kRoots, {}, 0, "y is stored to in part, as inputs say"},
        Hanging{"AStrideThatIsTheGrid", kShared, {}, 0, "all is how many threads there are"},
        Hanging{"ASizeInAFloat", kFloatSize, {}, 2, "such as --buffer p=:64"},
        Hanging{"ASizeInAFloatThatIsTold",
                kFloatSize,
                {"--buffer", "p=:24", "--buffer", "y=float[M,24]", "--buffer", "x=float[M]", "--grid", "M"},
                0,
                "1 of 1 kernels pass"},
        Hanging{"ASlotForEachSimdgroup", kSlots, {}, 2, "COULD NOT BE JUDGED"},
        Hanging{"ABlockSizeOfTheText", kBlock, {}, 0, "the grid is [1024, 1, 1] threads"},
        Hanging{"SizesInABuffer", kIntSizes, {}, 2, "next to nothing to do sizes is filled with ones"},
        Hanging{"PlainStructsInStructs", kNested, {}, 0, "k is 1; write a manifest for another value"},
        Hanging{"SizesOfAUshort", kNarrow, {}, 0, "1 of 1 kernels pass"},
        Hanging{"FiveSizes",
                kFive,
                {"--buffer", "w=half[B+first,D]", "--grid", "D,C,A*B", "--grid-unit", "threads", "--cases",
                 "200"},
                0,
                "1 of 1 kernels pass"},
        Hanging{"LayersOfTextures", kLayers, {"--cases", "200"}, 0, "1 of 1 kernels pass"},
        Hanging{"OneSizeAtLeastAnother", kAtLeast, {}, 2, "COULD NOT BE JUDGED"},
        Hanging{"PastAGuessedEnd", kUnguarded, {}, 2, "COULD NOT BE JUDGED"},
        Hanging{"PastAToldEnd",
                kUnguarded,
                {"--buffer", "x=float[n]", "--buffer", "y=float[n]", "--grid", "n"},
                1,
                "copy: OUT OF BOUNDS"},
        Hanging{"LessThanAllIsWritten", kHalfWritten, {}, 2, "add --buffer y=:inout"},
        Hanging{"ANumberThatIsTakenForASize",
                kShifted,
                {},
                2,
                "with by=8 the first threadgroup has no such fault; if by takes only some values, say which, "
                "such as --dim by=8"},
        Hanging{"AShiftByTooMuchWhateverTheSizes", kAlwaysShifted, {}, 1, "shifted: UNDEFINED OPERATION"},
        Hanging{"LayersThatEachThreadGoesThrough",
                kOverLayers,
                {},
                2,
                "with one threadgroup along z there is no such fault: say the grid, such as --grid 'W,H,1'"},
        Hanging{
            "FloatsThatNoIntegerHolds",
            kWhole,
            {"--cases", "200"},
            2,
            "x holds any numbers, infinity and NaN among them; say what it holds, such as --buffer x=:0..3"},
        Hanging{"ABarrierThatIsMissing", kNoBarrier, {}, 1, "turn: RACE"},
        Hanging{"ASumThatAllThreadsChange", kOneSum, {}, 1, "sum: RACE"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace assay::end_to_end
