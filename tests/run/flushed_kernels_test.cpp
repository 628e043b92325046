// Kernels that go through subnormal numbers on their way are rejected where these are flushed, and only
// there; those that do not pass; those that say so are not run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/run/plan.hpp"
#include "harness/run/replay_line.hpp"
#include "tests/error_of.hpp"

namespace assay::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// W = value(code) * scale, a thread an element. `value` is of a uint code, 0 to 15.
std::string kernel_text(const std::string& value) {
  return "#include <metal_stdlib>\nusing namespace metal;\n"
         "static half value(uint code) {\n  const ushort sign = ushort((code & 8) << 12);\n" +
         value +
         "\n}\n"
         "kernel void k(device const uint* B [[buffer(0)]], device const half* scales [[buffer(1)]],\n"
         "              device half* W [[buffer(2)]], constant uint& K [[buffer(3)]],\n"
         "              constant uint& N [[buffer(4)]], constant uint& group_size [[buffer(5)]],\n"
         "              uint2 at [[thread_position_in_grid]]) {\n"
         "  const uint code = B[at.y / 8 * N + at.x] >> (at.y % 8 * 4) & 15;\n"
         "  W[at.y * N + at.x] = value(code) * scales[at.y / group_size * N + at.x];\n}\n";
}

// The bits of a code as the highest of a half's exponent and fraction: 2^-14 of its value.
constexpr const char* kByHalves = "  return as_type<half>(ushort(sign | (code & 7) << 9)) * half(16384);";
constexpr const char* kByHalvesInPlace =
    "  half h = as_type<half>(ushort(sign | (code & 7) << 9));\n  h *= 16384;\n  return h;";
constexpr const char* kByVectors =
    "  half2 h = as_type<half2>(uint(sign | (code & 7) << 9));\n  return (h * 16384).x;";
constexpr const char* kByFloats =
    "  const float f = as_type<float>((code & 8) << 28 | (code & 7) << 22);\n"
    "  return half(f * 0x1p126f);";
// The same way, but converted to float, which is exact, before anything is computed.
constexpr const char* kConverted =
    "  return half(float(as_type<half>(ushort(sign | (code & 7) << 9))) * 16384.0f);";
constexpr const char* kByTable =
    "  const half values[8] = {0, 0.5h, 1, 1.5h, 2, 3, 4, 6};\n"
    "  return as_type<half>(ushort(as_type<ushort>(values[code & 7]) | sign));";

class FlushedKernels : public ::testing::Test {
 protected:
  FlushedKernels() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-flushed-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = pattern;
  }
  ~FlushedKernels() override { std::filesystem::remove_all(directory_); }

  const KernelEntry& entry(const std::string& value, const std::string& requires_ = "") {
    std::ofstream(directory_ / "k.metal") << kernel_text(value);
    std::ofstream(directory_ / "k.toml")
        << "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"dequantize_fp4\"\n"
           "arguments = [\"B\", \"scales\", \"W\", \"K\", \"N\", \"group_size\"]\n"
           "threads_per_threadgroup = [8, 8, 1]\ngrid = \"elements\"\n"
           "arithmetic = { dequantize = \"half\" }\n" +
               requires_;
    entries_ = read_manifest(directory_ / "k.toml");
    return entries_.front();
  }

  KernelReport verified(const std::string& value) {
    Request request;
    request.mode = "fast";
    request.numerics = "strict";
    request.flush_subnormals = true;
    request.options.cases = 60;
    request.options.planned = false;
    const auto planned = plan(request, {&entry(value)});
    return verify_kernels(planned.kernels, planned.options).at(0);
  }

  void expect_rejected(const std::string& value) {
    const auto report = verified(value);
    ASSERT_EQ(report.modes.size(), 2U);
    EXPECT_EQ(report.modes[0].verdict, Verdict::pass) << report.modes[0].text;
    const auto& flushed = report.modes[1];
    EXPECT_EQ(flushed.verdict, Verdict::wrong_result) << value;
    EXPECT_THAT(flushed.replay, HasSubstr("mode=fast numerics=flushed"));
    EXPECT_THAT(report.survived(), ElementsAre(Numerics::strict));
    // What the line says is wrong again.
    const auto line = parse_replay_line(flushed.replay);
    EXPECT_EQ(line.mode, Mode::flushed);
    EXPECT_EQ(verify_case(entries_.front(), line.mode, line.test_case).verdict, Verdict::wrong_result);
    EXPECT_EQ(verify_case(entries_.front(), Mode::fast, line.test_case).verdict, Verdict::pass);
  }
  void expect_right_either_way(const std::string& value) {
    const auto report = verified(value);
    for (const auto& mode : report.modes) EXPECT_EQ(mode.verdict, Verdict::pass) << mode.text;
    EXPECT_THAT(report.survived(), ElementsAre(Numerics::strict, Numerics::flushed));
  }

 private:
  std::filesystem::path directory_;

 protected:
  std::vector<KernelEntry> entries_;
};

TEST_F(FlushedKernels, ThroughSubnormalHalvesAreRejected) { expect_rejected(kByHalves); }
TEST_F(FlushedKernels, ThroughSubnormalHalvesInPlaceAreRejected) { expect_rejected(kByHalvesInPlace); }
TEST_F(FlushedKernels, ThroughVectorsOfSubnormalHalvesAreRejected) { expect_rejected(kByVectors); }
TEST_F(FlushedKernels, ThroughSubnormalFloatsAreRejected) { expect_rejected(kByFloats); }
TEST_F(FlushedKernels, ThatConvertBeforeTheyComputePass) { expect_right_either_way(kConverted); }
TEST_F(FlushedKernels, ThatHaveNoneOnTheirWayPass) { expect_right_either_way(kByTable); }

TEST_F(FlushedKernels, ThatSayThatTheyNeedSubnormalsAreNotRunWithoutThem) {
  const KernelEntry& needs = entry(kByHalves, "requires = { subnormals = 1 }\n");
  Request request;
  request.flush_subnormals = true;
  const auto both = plan(request, {&needs});
  EXPECT_THAT(both.left_out, ElementsAre(HasSubstr("k: not run with flushed subnormals")));
  EXPECT_THAT(both.kernels, ElementsAre(&needs));
  EXPECT_TRUE(is_excused(needs, Mode::flushed));
  EXPECT_FALSE(is_excused(needs, Mode::fast));
  request.options.cases = 10;
  request.options.planned = false;
  request.mode = "fast";
  const auto fast = plan(request, {&needs});
  const auto report = verify_kernels(fast.kernels, fast.options).at(0);
  for (const auto& mode : report.modes) EXPECT_NE(mode.mode, Mode::flushed);
  EXPECT_THAT(report.survived(), ::testing::Not(::testing::Contains(Numerics::flushed)));
  request.numerics = "flushed";
  EXPECT_THAT(error_of([&] { plan(request, {&needs}); }), HasSubstr("so none is left to run"));
}

TEST_F(FlushedKernels, AreAskedForBesideOtherModes) {
  const KernelEntry& kernel = entry(kByTable);
  Request request;
  EXPECT_FALSE(plan(request, {&kernel}).options.covers(Mode::flushed)) << "the default run has none";
  request.flush_subnormals = true;
  EXPECT_EQ(plan(request, {&kernel}).options.modes.size(), kDefaultModes.size() + 1);
  request.numerics = "strict";
  EXPECT_THAT(plan(request, {&kernel}).options.modes, ElementsAre(Mode::fast, Mode::checked, Mode::flushed));
  request.flush_subnormals = false;
  request.numerics = "flushed";
  EXPECT_THAT(plan(request, {&kernel}).options.modes, ElementsAre(Mode::flushed));
  request.mode = "checked";
  EXPECT_THAT(error_of([&] { plan(request, {&kernel}); }), HasSubstr("in fast mode only"));
  request.mode = "fast";
  request.options.laws_alone = true;
  EXPECT_THAT(error_of([&] { plan(request, {&kernel}); }), HasSubstr("--flush-subnormals"));
}

}  // namespace
}  // namespace assay::run
