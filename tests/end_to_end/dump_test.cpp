// --dump: the tensors of a case in a file that `assay replay --inputs` takes. Results of single cases as
// reports.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "golden/safetensors.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A row too few is summed where `less` says so.
void write_row_sums(const Scratch& scratch, const std::string& less) {
  scratch.write("sums.metal",
                kHead +
                    "kernel void sums(device const half* x [[buffer(0)]], device float* y [[buffer(1)]],"
                    "constant uint& N [[buffer(2)]], uint row [[thread_position_in_grid]]) {\n"
                    "  float sum = 0;\n  for (uint i = 0; i " +
                    less + " < N; ++i) sum += x[row * N + i];\n  y[row] = sum;\n}\n");
  scratch.write("sums.reference.cpp",
                "void reference() { for (Index m = 0; m < M; ++m) y(m) = sum(N, [&](Index n) { return x(m, "
                "n); }); }\n");
  scratch.write("kernels.toml", R"(
[[operation]]
name = "sums"
reference = "sums.reference.cpp"
dimensions = [{ name = "M", largest = 32 }, { name = "N", largest = 64, reduced = true }]
tensors = [
  { name = "x", type = "half", shape = ["M", "N"] },
  { name = "y", type = "float", shape = ["M"], access = "out" },
]
[[kernel]]
name = "sums"
source = "sums.metal"
operation = "sums"
arguments = ["x", "y", "N"]
threads_per_threadgroup = 32
grid = ["M", 1, 1]
grid_unit = "threads"
)");
}

metal::ProcessResult assay_in(const Scratch& scratch, std::vector<std::string> arguments) {
  clear_environment();
  arguments.insert(arguments.begin(), kProgram.string());
  return metal::run_process(arguments, scratch.root().string());
}

TEST(Dump, OfARejectionIsWhatReplayTakes) {
  const Scratch scratch;
  write_row_sums(scratch, "+ 1");
  const auto found =
      assay_in(scratch, {"verify", "--mode", "fast", "--cases", "5", "--dump", "case.safetensors"});
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("dump    case.safetensors, of sums"));
  const auto file = golden::read_safetensors(scratch / "case.safetensors");
  for (const char* name : {"x", "result.y", "expected.y"}) EXPECT_NE(file.find(name), nullptr) << name;
  EXPECT_EQ(file.metadata.at("operation"), "sums");
  const auto again = assay_in(scratch, {"replay", "--inputs", "case.safetensors", "--kernel", "sums"});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("WRONG RESULT"));
}

TEST(Dump, OfOwnInputsHasTheResults) {
  const Scratch scratch;
  write_row_sums(scratch, "");
  golden::Dataset own;
  own.tensors.push_back(make_tensor("x", DType::f16, {2, 3}));
  for (auto& one : own.tensors.front().as<std::uint16_t>()) one = 0x3C00;
  golden::write_safetensors(scratch / "own.safetensors", own);
  const auto ran = assay_in(
      scratch, {"replay", "--inputs", "own.safetensors", "--kernel", "sums", "--dump", "out.safetensors"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const auto file = golden::read_safetensors(scratch / "out.safetensors");
  const Tensor* result = file.find("result.y");
  ASSERT_NE(result, nullptr);
  EXPECT_THAT(result->as<float>(), testing::ElementsAre(3.0F, 3.0F));
}

TEST(Dump, IsNotWrittenWhereNothingIsRejected) {
  const Scratch scratch;
  write_row_sums(scratch, "");
  const auto ran =
      assay_in(scratch, {"verify", "--mode", "fast", "--cases", "5", "--dump", "case.safetensors"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("dump    nothing was rejected, so case.safetensors was not written"));
  EXPECT_FALSE(fs::exists(scratch / "case.safetensors"));
}

TEST(Dump, OfAFindingLiesBesideItsFile) {
  const Scratch scratch;
  write_row_sums(scratch, "+ 1");
  const auto ran =
      assay_in(scratch, {"fuzz", "--rounds", "1", "--seed", "1", "--dump", "--json", "fuzz.json"});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  std::size_t files = 0;
  for (const auto& one : fs::directory_iterator(scratch / "assay-findings"))
    files += one.path().extension() == ".safetensors" ? 1 : 0;
  EXPECT_GT(files, 0U) << ran.out;
  const auto results = nlohmann::json::parse(read(scratch / "fuzz.json"));
  EXPECT_EQ(results.at("exit_status"), 1);
  EXPECT_EQ(results.at("kernels").at(0).at("verdict"), "wrong result");
}

TEST(Dump, ThatCannotBeWrittenIsAnError) {
  const Scratch scratch;
  write_row_sums(scratch, "");
  const auto ran = assay_in(scratch, {"verify", "--mode", "fast", "--at", "M=2,N=3"});
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const auto refused = assay_in(
      scratch,
      {"replay", "kernel=sums manifest=kernels.toml mode=fast operation=sums M=2 N=3 regime=whole seed=1",
       "--dump", "no/such/folder/case.safetensors"});
  EXPECT_EQ(refused.exit_code, 2) << refused.out << refused.err;
  EXPECT_THAT(refused.out + refused.err, HasSubstr("no/such/folder"));
}

TEST(OneCase, IsWrittenAsAReport) {
  const Scratch scratch;
  write_row_sums(scratch, "+ 1");
  const auto ran = assay_in(
      scratch,
      {"replay", "kernel=sums manifest=kernels.toml mode=fast operation=sums M=2 N=3 regime=whole seed=1",
       "--json", "one.json", "--junit", "one.xml", "--report", "page"});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  const auto results = nlohmann::json::parse(read(scratch / "one.json"));
  EXPECT_EQ(results.at("kernels").at(0).at("modes").size(), 1U);
  EXPECT_EQ(results.at("kernels").at(0).at("modes").at(0).at("cases"), 1);
  EXPECT_THAT(read(scratch / "one.xml"), HasSubstr("<failure"));
  EXPECT_TRUE(fs::exists(scratch / "page/verify.html"));
}

TEST(OneFile, ThatIsCheckedHasAPage) {
  const Scratch scratch;
  write_row_sums(scratch, "");
  const auto ran = assay_in(scratch, {"check", "sums.metal", "--cases", "2", "--report", "page"});
  EXPECT_NE(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_TRUE(fs::exists(scratch / "page/verify.html")) << ran.out << ran.err;
}

// The manifest of the folder, names that are patterns, and words that are nearly right.
TEST(Names, OfTheManifestHere) {
  const Scratch scratch;
  write_row_sums(scratch, "");
  EXPECT_EQ(assay_in(scratch, {"list", "--names"}).out, "sums\n");
  const auto all = assay_in(scratch, {"verify", "s*", "--mode", "fast", "--cases", "1"});
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_THAT(all.out, HasSubstr("1 of 1 kernels pass"));
  const auto refused = [&](const std::vector<std::string>& arguments) {
    return assay_in(scratch, arguments).err;
  };
  EXPECT_EQ(refused({"verify", "sum"}),
            "assay: no kernel `sum` in kernels.toml; did you mean `sums`? there are: sums\n");
  EXPECT_THAT(refused({"verify", "x*"}), HasSubstr("no kernel `x*` in kernels.toml; there are: sums"));
  EXPECT_THAT(refused({"verfy"}),
              AllOf(HasSubstr("`verfy` is not one of"), HasSubstr("did you mean `verify`?")));
  EXPECT_THAT(refused({"verify", "--cses", "3"}), HasSubstr("did you mean `--cases`?"));
}

}  // namespace
}  // namespace assay::end_to_end
