// `assay replay --inputs` runs a kernel on somebody's own tensors, and `assay golden show` prints their file.
#include <gmock/gmock.h>

#include "golden/golden_case.hpp"
#include "golden/safetensors.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kOwnManifest = (kSource / "kernels/kernels.toml").string();

/// The inputs of a drawn case as somebody else would keep them: nothing but tensors.
golden::Dataset inputs_of(const std::string& line) {
  const auto drawn = properties::parse_line(line);
  return {{}, properties::find_operation(drawn.operation).make_problem(drawn).inputs};
}

constexpr const char* kFp4 = "operation=gemm_fp4 K=40 M=3 N=9 group_size=8 regime=exact knob.range=1 seed=5";
constexpr const char* kTrellis =
    "operation=gemm_trellis K=40 M=3 N=70 bits=3 group_size=8 n_levels=8 regime=random seed=5";
constexpr const char* kRans =
    "operation=rans_decode M=70 N=65 streams=4 tile_cols=64 tile_rows=64 regime=random seed=5";

/// `assay replay --inputs` on a file of these tensors.
metal::ProcessResult replay(const golden::Dataset& own, std::vector<std::string> options) {
  const Scratch scratch;
  golden::write_safetensors(scratch / "own.safetensors", own);
  std::vector<std::string> arguments = {"replay", "--inputs", (scratch / "own.safetensors").string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return assay(arguments);
}

Tensor& named(golden::Dataset& own, const std::string& name) {
  return *std::find_if(own.tensors.begin(), own.tensors.end(),
                       [&](const Tensor& one) { return one.name == name; });
}

void expect_refused(const metal::ProcessResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const auto& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
}

struct Good {
  const char *line, *kernel, *at;
};

class OwnInputsOf : public testing::TestWithParam<Good> {};
INSTANTIATE_TEST_SUITE_P(Operations, OwnInputsOf,
                         testing::Values(Good{kFp4, "marlin_gemm_fp4", ""},
                                         Good{kTrellis, "gemm_trellis_packed", ""},
                                         Good{kRans, "rans_decode", "M=70,N=65,tile_rows=64,tile_cols=64"}),
                         [](const auto& of) { return std::string(of.param.kernel); });

TEST_P(OwnInputsOf, AGoodKernelPassesInBothModes) {
  const Good& good = GetParam();
  for (const char* mode : {"fast", "checked"}) {
    std::vector<std::string> options = {"--kernel", good.kernel, "--manifest", kOwnManifest, "--mode", mode};
    if (*good.at != '\0') options.insert(options.end(), {"--at", good.at});
    const auto result = replay(inputs_of(good.line), options);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr(std::string(good.kernel) + ": pass: "), HasSubstr("regime=own")));
  }
}

/// Our kernels with one place of their text changed, in a folder of their own.
class FaultyKernels {
 public:
  FaultyKernels(const std::string& file, const std::string& from, const std::string& to) {
    fs::copy(kSource / "kernels", scratch_ / "kernels", fs::copy_options::recursive);
    std::string text = read(scratch_ / ("kernels/" + file));
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << file << " has no " << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    scratch_.write("kernels/" + file, text);
  }
  std::string manifest() const { return (scratch_ / "kernels/kernels.toml").string(); }

 private:
  Scratch scratch_;
};

struct Fault {
  const char *line, *kernel, *at, *file, *from, *to;
};

class OwnInputsWithFault : public testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(
    Operations, OwnInputsWithFault,
    testing::Values(Fault{kTrellis, "gemm_trellis_packed", "", "include/trellis.h",
                          "grid[index < n_levels ? index : 0]", "grid[min(index ^ 1, n_levels - 1)]"},
                    Fault{kRans, "rans_decode", "M=70,N=65,tile_rows=64,tile_cols=64", "include/rans.h",
                          "stream.state & (RANS_SLOTS - 1)", "stream.state & 0x7FF"}),
    [](const auto& of) { return std::string(of.param.kernel); });

TEST_P(OwnInputsWithFault, IsRejected) {
  const Fault& fault = GetParam();
  const FaultyKernels kernels(fault.file, fault.from, fault.to);
  std::vector<std::string> options = {"--kernel", fault.kernel, "--manifest", kernels.manifest()};
  if (*fault.at != '\0') options.insert(options.end(), {"--at", fault.at});
  const auto result = replay(inputs_of(fault.line), options);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("WRONG RESULT"));
}

// The replay line that is printed runs the same file again.
TEST(OwnInputs, AKernelWithAFaultIsRejectedAndReplayed) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  for (uint e = i; e < M * N; e += 32) {\n"
                                       "    float sum = 0;\n"
                                       "    for (uint k = 0; k < K; ++k) sum += float(A[e / N * K + k]);\n"
                                       "    C[e] = half(sum);\n  }"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k")).string();
  golden::write_safetensors(scratch / "own.safetensors", inputs_of(kFp4));
  const auto file = (scratch / "own.safetensors").string();
  const auto result = assay({"replay", "--inputs", file, "--kernel", "k", "--manifest", manifest});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("WRONG RESULT"));
  const auto begin = result.out.find("assay replay '") + 14;
  const auto line = result.out.substr(begin, result.out.find('\'', begin) - begin);
  EXPECT_THAT(line, AllOf(HasSubstr("regime=own"), HasSubstr("golden=" + file)));
  EXPECT_EQ(assay({"replay", line}).exit_code, 1);
}

TEST(OwnInputs, WhatTheFileExpectsJudges) {
  auto own = inputs_of(kFp4);
  const auto passes = [&] {
    const auto result = replay(own, {"--kernel", "marlin_gemm_fp4", "--manifest", kOwnManifest});
    EXPECT_LT(result.exit_code, 2) << result.out << result.err;
    return result.exit_code == 0;
  };
  own.tensors.push_back(make_tensor("expected.C", DType::f16, {3, 9}));
  EXPECT_FALSE(passes());
  Tensor& widths = own.tensors.emplace_back(make_tensor("expected.C.half_width", DType::f32, {3, 9}));
  for (float& one : widths.as<float>()) one = 60000;
  EXPECT_TRUE(passes());
}

TEST(OwnInputs, ATraceHasTheStatisticsAndWhatIsOutOfTheOrdinary) {
  auto own = inputs_of(kTrellis);
  named(own, "scales").as<float>()[5] = 1e9F;
  named(own, "A").as<std::uint16_t>()[2] = 0x7E00;
  named(own, "su").as<float>()[3] = 0.5F;
  const auto result = replay(
      own, {"--kernel", "gemm_trellis_packed", "--manifest", kOwnManifest, "--mode", "fast", "--trace"});
  EXPECT_THAT(result.out, HasSubstr("=== gemm_trellis_packed before launch 1 ==="));
  EXPECT_THAT(result.out, HasSubstr("\nA: f16 [3, 40], min="));
  EXPECT_THAT(result.out, HasSubstr(", nan=1, inf=0, distinct="));
  EXPECT_THAT(result.out, HasSubstr("\npacked_indices: u8 [3, 5, 96], "));
  EXPECT_THAT(result.out, HasSubstr("distinct={-1, 0.5, 1}, first bytes "));
  EXPECT_THAT(result.out, HasSubstr("unusual: scales: element 5 is 1e+09"));
  EXPECT_THAT(result.out, HasSubstr("unusual: su: element 3 is 0.5: neither +1 nor -1"));
}

TEST(OwnInputs, AGridThatIsNotNormalisedIsSaidInATrace) {
  auto own = inputs_of(kTrellis);
  for (float& level : named(own, "grid").as<float>()) level *= 1000;
  const auto result = replay(own, {"--kernel", "gemm_trellis_packed", "--manifest", kOwnManifest, "--trace"});
  EXPECT_THAT(result.out, HasSubstr("unusual: grid: is not normalised: its largest magnitude is "));
}

TEST(OwnInputs, RefusalsNameFileTensorFieldAndWhatWouldBeRight) {
  const std::vector<std::string> fp4 = {"--kernel", "marlin_gemm_fp4", "--manifest", kOwnManifest};
  const std::vector<std::string> trellis = {"--kernel", "gemm_trellis_packed", "--manifest", kOwnManifest};
  const std::vector<std::string> rans = {"--kernel", "rans_decode", "--manifest", kOwnManifest};
  auto own = inputs_of(kFp4);
  named(own, "scales").name = "scale";
  expect_refused(replay(own, fp4),
                 {"own.safetensors", "tensor scales: missing", "F16 [(K, group_size), N]", "scale"});
  own = inputs_of(kFp4);
  named(own, "scales") = make_tensor("scales", DType::f32, {5, 9});
  expect_refused(replay(own, fp4), {"own.safetensors", "tensor scales: dtype: is F32, must be F16"});
  own = inputs_of(kFp4);
  named(own, "scales") = make_tensor("scales", DType::f16, {9, 5});
  expect_refused(replay(own, fp4), {"tensor scales: shape: [9, 5] makes N 5", "B [5, 9] makes it 9"});
  own = inputs_of(kTrellis);
  std::swap(named(own, "packed_indices").shape[0], named(own, "packed_indices").shape[1]);
  expect_refused(replay(own, trellis), {"tensor packed_indices: has shape [5, 3, 96]", "[3, 5, 96]",
                                        "tile counts exchanged?", "ceil(K/16)"});
  expect_refused(replay(inputs_of(kRans), rans),
                 {"own.safetensors", "M, N, tile_rows, tile_cols", "add --at M=NUMBER"});
  auto at_bad = rans;
  at_bad.insert(at_bad.end(), {"--at", "M=70,N"});
  expect_refused(replay(inputs_of(kRans), at_bad), {"NAME=NUMBER"});
  auto no_such = fp4;
  no_such[1] = "no_such_kernel";
  expect_refused(replay(inputs_of(kFp4), no_such), {"no_such_kernel", "marlin_gemm_fp4"});
}

TEST(OwnInputs, OptionsThatDoNotGoTogetherAreRefused) {
  expect_refused(assay({"replay", "--inputs", "f.safetensors"}), {"--kernel"});
  expect_refused(assay({"replay", "--kernel", "k"}), {"--inputs"});
  expect_refused(assay({"replay", "kernel=k", "--inputs", "f.safetensors", "--kernel", "k"}), {"--inputs"});
  expect_refused(assay({"replay", "--inputs", "no/such.safetensors", "--kernel", "marlin_gemm_fp4",
                        "--manifest", kOwnManifest}),
                 {"no/such.safetensors", "no such file"});
  expect_refused(assay({"replay", "--inputs", "f", "--kernel", "k", "--mode", "checked", "--numerics",
                        "contracted", "--manifest", kOwnManifest}),
                 {"k"});
}

TEST(GoldenShowCommand, PrintsAFileAndRefusesOneThatCannotBeRead) {
  const Scratch scratch;
  golden::write_safetensors(scratch / "own.safetensors", inputs_of(kFp4));
  const auto shown = assay({"golden", "show", (scratch / "own.safetensors").string()});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("\nB  U32 [5, 9]  180 bytes\n"), HasSubstr("  histogram\n"),
                               Not(HasSubstr("problem of"))));
  expect_refused(assay({"golden", "show", (scratch / "none").string()}), {"none", "no such file"});
  scratch.write("cut.safetensors", read(scratch / "own.safetensors").substr(0, 300));
  expect_refused(assay({"golden", "show", (scratch / "cut.safetensors").string()}), {"cut.safetensors"});
  expect_refused(assay({"golden", "show"}), {"file"});
}

}  // namespace
}  // namespace assay::end_to_end
