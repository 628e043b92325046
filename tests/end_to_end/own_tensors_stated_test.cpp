// `assay replay --inputs` on kernels whose operation a manifest states: in text, by another kernel, or not at
// all.
#include <gmock/gmock.h>

#include "golden/safetensors.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kKernels = R"(#include <metal_stdlib>
using namespace metal;
kernel void row_sum(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& N [[buffer(2)]],
                    uint m [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint n = 0; n < N; ++n) sum += x[m * N + n];
  y[m] = sum;
}
kernel void all_but_one(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                        constant uint& N [[buffer(2)]], uint m [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint n = 1; n < N; ++n) sum += x[m * N + n];
  y[m] = sum;
}
kernel void unwritten(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                      constant uint& N [[buffer(2)]], uint m [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint n = 0; n < N; ++n) sum += x[m * N + n];
  if (x[m * N] > 1) y[m] = sum;
}
)";
constexpr const char* kReference =
    "void reference() {\n  each(M, [&](Index m) { y(m) = sum(N, [&](Index n) { return x(m, n); }); });\n}\n";

// Kernels by name, with what they are judged by: "text", "kernel" or "nothing".
class Judged {
 public:
  Judged() {
    scratch_.write("k.metal", kKernels);
    scratch_.write("row_sum.reference.cpp", kReference);
    const std::string shapes =
        "dimensions = [\"M\", \"N\"]\ntensors = [\n  { name = \"x\", type = \"float\", shape = [\"M\", "
        "\"N\"] },\n"
        "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" },\n]\n";
    std::string text = "[[operation]]\nname = \"text\"\nreference = \"row_sum.reference.cpp\"\n" + shapes +
                       "[[operation]]\nname = \"kernel\"\nreference = { kernel = \"naive\", ulps = 1 }\n" +
                       shapes;
    text +=
        "[[kernel]]\nname = \"naive\"\nfunction = \"row_sum\"\nsource = \"k.metal\"\noperation = \"kernel\"\n"
        "arguments = [\"x\", \"y\", \"N\"]\nthreads_per_threadgroup = 1\ngrid = [\"M\", 1, 1]\n";
    for (const std::string function : {"row_sum", "all_but_one", "unwritten"}) {
      for (const std::string by : {"text", "kernel", "nothing"}) {
        text += "[[kernel]]\nname = \"" + function + "_" + by + "\"\nfunction = \"" + function +
                "\"\nsource = \"k.metal\"\narguments = [\"x\", \"y\", \"N\"]\nthreads_per_threadgroup = 1\n"
                "grid = [\"M\", 1, 1]\n" +
                (by == "nothing" ? shapes : "operation = \"" + by + "\"\n");
      }
    }
    manifest_ = scratch_.write("k.toml", text).string();
  }

  metal::ProcessResult replay(const std::string& kernel, const golden::Dataset& own,
                              std::vector<std::string> options = {}) const {
    golden::write_safetensors(scratch_ / "own.safetensors", own);
    options.insert(options.begin(), {"replay", "--inputs", (scratch_ / "own.safetensors").string(),
                                     "--kernel", kernel, "--manifest", manifest_});
    return assay(options);
  }

 private:
  Scratch scratch_;
  std::string manifest_;
};

golden::Dataset rows() {
  golden::Dataset own;
  Tensor& x = own.tensors.emplace_back(make_tensor("x", DType::f32, {3, 4}));
  float value = 1;
  for (float& one : x.as<float>()) one = value += 0.25f;
  return own;
}

class OwnInputsOfStated : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(JudgedBy, OwnInputsOfStated, testing::Values("text", "kernel", "nothing"),
                         [](const auto& by) { return std::string(by.param); });

TEST_P(OwnInputsOfStated, AGoodKernelPassesInBothModes) {
  const std::string kernel = std::string("row_sum_") + GetParam();
  for (const char* mode : {"fast", "checked"}) {
    const auto result = Judged().replay(kernel, rows(), {"--mode", mode});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("M=3, from the shapes"), HasSubstr("N=4, from the shapes"),
                                  HasSubstr(kernel + ": pass: "), HasSubstr("regime=own")));
  }
}

// What needs no right answer is seen whoever judges.
TEST_P(OwnInputsOfStated, AnOutputThatIsNotWrittenIsSeen) {
  auto own = rows();
  own.tensors[0].as<float>()[4] = -1;  // of the second row
  const auto result = Judged().replay(std::string("unwritten_") + GetParam(), own);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 of 3 elements of y were never written; the first is y[1]"));
}

TEST_P(OwnInputsOfStated, AWrongResultIsRejectedWhereThereIsARightOne) {
  const bool judged = std::string(GetParam()) != "nothing";
  const Judged kernels;
  const auto result = kernels.replay(std::string("all_but_one_") + GetParam(), rows());
  EXPECT_EQ(result.exit_code, judged ? 1 : 0) << result.out << result.err;
  if (!judged) return;
  EXPECT_THAT(result.out, HasSubstr("WRONG RESULT"));
  const auto begin = result.out.find("assay replay '") + 14;
  const auto line = result.out.substr(begin, result.out.find('\'', begin) - begin);
  EXPECT_THAT(line, HasSubstr("regime=own"));
  EXPECT_EQ(assay({"replay", line}).exit_code, 1);
}

TEST(OwnInputsOfStatedOperations, WhatTheFileExpectsJudges) {
  auto own = rows();
  own.tensors.push_back(make_tensor("expected.y", DType::f32, {3}));
  EXPECT_EQ(Judged().replay("row_sum_nothing", own).exit_code, 1) << "the file says that all sums are zero";
  for (std::size_t m = 0; m < 3; ++m) {
    float& sum = own.tensors[1].as<float>()[m];
    for (std::size_t n = 0; n < 4; ++n) sum += own.tensors[0].as<float>()[4 * m + n];
  }
  EXPECT_EQ(Judged().replay("row_sum_nothing", own).exit_code, 0);
}

TEST(OwnInputsOfStatedOperations, RefusalsNameTheTensorAndWhatWouldBeRight) {
  auto own = rows();
  own.tensors[0].name = "z";
  const auto missing = Judged().replay("row_sum_text", own);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("tensor x: missing"), HasSubstr("the file has \"z\"")));
  own = rows();
  own.tensors[0].dtype = DType::i32;
  EXPECT_THAT(Judged().replay("row_sum_nothing", own).err, HasSubstr("tensor x: dtype: is I32, must be F32"));
}

}  // namespace
}  // namespace assay::end_to_end
