// `assay verify --golden`: kernels on the tensors of golden files, in every mode.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>

#include "golden/golden_set.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/replay_line.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/part.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/golden/edited.hpp"
#include "tests/mutants/listed.hpp"

namespace assay::end_to_end {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const fs::path kSets = kSource / "golden/sets";
const std::string kGoldenManifest = (kSource / "kernels/kernels.toml").string();

std::vector<std::string> verify(const std::string& kernel, const fs::path& set,
                                const std::vector<std::string>& more = {},
                                const std::string& manifest = kGoldenManifest) {
  std::vector<std::string> arguments = {"verify", kernel, "--golden", set.string(), "--manifest", manifest};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The files of an operation, copied into a set of their own.
fs::path set_of(const Scratch& scratch, const std::string& operation) {
  fs::create_directories(scratch / "set");
  for (const auto& file : fs::directory_iterator(kSets)) {
    if (file.path().filename().string().starts_with(operation + "-"))
      fs::copy(file.path(), scratch / "set" / file.path().filename());
  }
  return scratch / "set";
}

/// The replay line of a report, as a shell hands it on.
std::string replay_in(const std::string& report) {
  std::smatch found;
  if (!std::regex_search(report, found, std::regex("assay replay '([^']*)'"))) return "";
  return found[1];
}

/// The product of the sizes.
std::int64_t size_of(const Dims& dims) {
  std::int64_t product = 1;
  for (const char* name : {"M", "N", "K"}) product *= dims.contains(name) ? dims.at(name) : 1;
  return product;
}

/// The files of an operation that can be cut, so that there is something to shrink.
std::vector<golden::FileSummary> files_of(const std::string& operation) {
  auto files = golden::read_set(kSets);
  std::erase_if(files, [&](const auto& file) {
    return file.operation != operation ||
           properties::smaller_parts(properties::find_operation(operation), file.dims, {}).empty();
  });
  return files;
}

/// The largest of them.
golden::FileSummary largest_file(const std::string& operation) {
  const auto files = files_of(operation);
  return *std::max_element(files.begin(), files.end(),
                           [](const auto& a, const auto& b) { return size_of(a.dims) < size_of(b.dims); });
}

TEST(VerifyGolden, AGoodKernelPassesInEveryMode) {
  const auto run = assay(verify("marlin_gemm_fused_fp4", kSets, {"--flush-subnormals"}));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("strict contracted reassociated approximate flushed"));
  EXPECT_THAT(run.out, ContainsRegex("1 of 1 kernels pass \\(a set of [0-9,]+ golden files\\)"));
}

class GoldenMutants : public testing::TestWithParam<const char*> {};

// Faults of decoding, of scales, of memory, of order and of compressed data.
TEST_P(GoldenMutants, AreRejectedShrunkAndReplayed) {
  const auto all = mutants::read_mutants();
  const auto mutant =
      std::find_if(all.begin(), all.end(), [](const auto& one) { return one.name == GetParam(); });
  ASSERT_NE(mutant, all.end());
  const mutants::ChangedKernels changed(*mutant);
  const Scratch scratch;
  fs::create_directories(scratch / "set");
  const auto entries = run::load_manifest(changed.manifest());
  for (const auto& file : files_of(run::choose(entries, {mutant->kernel}).front()->operation))
    fs::copy(file.path, scratch / "set" / file.path.filename());
  const auto run =
      assay(verify(mutant->kernel, scratch / "set", {"--numerics", "strict"}, changed.manifest()));
  ASSERT_EQ(run.exit_code, 1) << run.out << run.err;
  const std::string line = replay_in(run.out);
  ASSERT_NE(line, "") << run.out;
  const auto read = run::parse_replay_line(line);
  EXPECT_TRUE(fs::exists(read.test_case.golden)) << line;
  EXPECT_LT(size_of(read.test_case.dims), size_of(golden::summarize(read.test_case.golden).dims)) << run.out;
  const auto again = assay({"replay", line});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  // The first line has the verdict: it is the same, and one that the mutant deserves.
  const std::string headline = run.out.substr(run.out.find("\n\n" + mutant->kernel + ": ") + 2);
  EXPECT_EQ(again.out.substr(0, again.out.find('\n')), headline.substr(0, headline.find('\n')));
  std::string upper =
      headline.substr(mutant->kernel.size() + 2, headline.find('\n') - mutant->kernel.size() - 2);
  EXPECT_TRUE(std::any_of(mutant->verdicts.begin(), mutant->verdicts.end(), [&](std::string verdict) {
    for (char& c : verdict) c = static_cast<char>(std::toupper(c));
    return upper == verdict;
  })) << headline;
}

INSTANTIATE_TEST_SUITE_P(Listed, GoldenMutants,
                         testing::Values("code_1_is_a_quarter", "scales_by_k_block", "write_column_past_C",
                                         "single_stage_no_barrier_after_load", "trellis_tile_column_major",
                                         "rans_slot_mask_one_bit_short", "striped_first_slice_lost"),
                         [](const auto& one) { return std::string(one.param); });

// The reference would say otherwise: what is in the file judges.
TEST(VerifyGolden, AKernelIsRejectedAtTheElementThatTheFileSaysIsOtherwise) {
  const Scratch scratch;
  const auto summary = largest_file("dequantize_fp4");
  const fs::path from = summary.path;
  const auto N = static_cast<std::size_t>(summary.dims.at("N")),
             K = static_cast<std::size_t>(summary.dims.at("K"));
  const std::size_t row = K / 2, column = N / 3;
  fs::create_directories(scratch / "set");
  const auto file = tests::edited(from, scratch / "set" / "one.safetensors", [&](golden::Dataset& data) {
    tests::change_expected(data, "W", row * N + column, 0x7BFF);
  });
  const auto run = assay(verify("dequant_fp4", scratch / "set", {"--mode", "fast", "--numerics", "strict"}));
  ASSERT_EQ(run.exit_code, 1) << run.out << run.err;
  const auto read = run::parse_replay_line(replay_in(run.out));
  EXPECT_EQ(read.test_case.golden, file.string());
  ASSERT_TRUE(read.test_case.part.contains("N")) << run.out;
  EXPECT_EQ(read.test_case.part.at("N"), (properties::Range{column, column + 1})) << run.out;
  ASSERT_TRUE(read.test_case.part.contains("K")) << "of more than one group";
  EXPECT_LE(read.test_case.part.at("K").begin, row);
  EXPECT_GT(read.test_case.part.at("K").end, row);
  EXPECT_THAT(run.out, HasSubstr("golden file " + file.string() + ", of it K "));
  EXPECT_EQ(assay({"replay", replay_in(run.out)}).exit_code, 1);
}

TEST(VerifyGolden, ADamagedFileIsNamedAndNothingIsRun) {
  const Scratch scratch;
  const fs::path set = set_of(scratch, "dequantize_fp4");
  const fs::path damaged = set / largest_file("dequantize_fp4").path.filename();
  fs::resize_file(damaged, fs::file_size(damaged) - 1);
  for (const char* kernel : {"dequant_fp4", "marlin_gemm_fp4"}) {
    const auto run = assay(verify(kernel, set));
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr(damaged.string()));
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(assay({"list", "--names", "--golden", set.string(), "--manifest", kGoldenManifest}).exit_code, 2);
}

TEST(VerifyGolden, AKernelWithoutAFileIsAnErrorWhereItIsNamedAndALineElsewhere) {
  const Scratch scratch;
  const fs::path set = set_of(scratch, "dequantize_s4");
  const auto named = assay(verify("dequant_fp4", set));
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.err, HasSubstr("--golden: dequant_fp4: " + set.string() +
                                   " holds no file of operation dequantize_fp4"));
  auto all = verify("", set, {"--mode", "fast", "--numerics", "strict"});
  all.erase(all.begin() + 1);
  const auto run = assay(all);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("dequant_fp4: not run: " + set.string() +
                                 " holds no file of operation dequantize_fp4"));
  EXPECT_THAT(run.out, HasSubstr("2 of 2 kernels pass")) << "dequant_s4 and dequant_s4_float";
  const auto listed = assay({"list", "--names", "--golden", set.string(), "--manifest", kGoldenManifest});
  EXPECT_EQ(listed.out, "dequant_s4\ndequant_s4_float\n");
  const auto none = assay({"list", "--names", "--golden", set.string(), "--manifest",
                           (kSource / "tests/end_to_end/stranger/theirs.toml").string()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("none of its kernels has a file in "));
}

// It was a line, and status 0. A layer of experts has all inputs and hidden values in each output.
TEST(VerifyGolden, AFileThatIsTooLargeToBeJudgedIsNoPass) {
  const Scratch scratch;
  const std::string set = (scratch / "set").string();
  for (const char* shape : {"M=1,N=8,K=16,intermediate=16", "M=1,N=1,K=3000,intermediate=3000"}) {
    const auto made =
        assay({"golden", "make", "--operation", "moe_swiglu_trellis", "--shape", shape, "--out", set});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  const auto run = assay(verify("gemm_trellis_moe", set, {"--mode", "fast", "--numerics", "strict"}));
  EXPECT_EQ(run.exit_code, 2) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 of 2 files are too large to be run whole, and cannot be cut"));
}

// Where 0 is right everywhere, a kernel that writes nothing at all would pass.
TEST(VerifyGolden, AFileOfZerosIsVacuous) {
  const Scratch scratch;
  fs::create_directories(scratch / "set");
  tests::edited(largest_file("dequantize_fp4").path, scratch / "set" / "zeros.safetensors",
                [](golden::Dataset& data) {
                  for (Tensor& tensor : data.tensors)
                    std::fill(tensor.data.begin(), tensor.data.end(), std::byte{0});
                });
  const auto run = assay(verify("dequant_fp4", scratch / "set"));
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_THAT(run.out, HasSubstr("a kernel that writes nothing would pass all of these golden files too"));
}

TEST(VerifyGolden, ShardsTogetherAreTheWholeRun) {
  const Scratch scratch;
  const fs::path set = set_of(scratch, "dequantize_u4");
  const auto all = [&](const std::string& name, const std::vector<std::string>& more) {
    auto arguments = verify("", set, {"--json", (scratch / name).string()});
    arguments.erase(arguments.begin() + 1);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return assay(arguments).exit_code;
  };
  ASSERT_EQ(all("whole", {}), 0);
  ASSERT_EQ(all("1", {"--shard", "1/2"}), 0);
  ASSERT_EQ(all("2", {"--shard", "2/2"}), 0);
  const auto merged = assay(
      {"merge", "--json", (scratch / "merged").string(), (scratch / "1").string(), (scratch / "2").string()});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  auto one = nlohmann::json::parse(read(scratch / "whole")),
       other = nlohmann::json::parse(read(scratch / "merged"));
  EXPECT_EQ(one["settings"]["golden"], golden::read_set(set).size());
  for (auto* report : {&one, &other}) {
    report->erase("seconds");
    for (auto& kernel : (*report)["kernels"])
      for (auto& mode : kernel["modes"]) mode.erase("seconds");
  }
  EXPECT_EQ(one, other);
  // Shards of runs over sets that differ in one file are not merged.
  const fs::path one_file = set / largest_file("dequantize_u4").path.filename();
  tests::edited(one_file, one_file, [](golden::Dataset& data) { data.metadata["notes"] = "other"; });
  ASSERT_EQ(all("2", {"--shard", "2/2"}), 0);
  EXPECT_EQ(assay({"merge", (scratch / "1").string(), (scratch / "2").string()}).exit_code, 2);
}

TEST(VerifyGolden, ReplayLinesOfAFileThatHasGoneOrChangedAreErrors) {
  const Scratch scratch;
  const fs::path set = set_of(scratch, "dequantize_fp4");
  const auto summary = largest_file("dequantize_fp4");
  const auto line = [&](const std::string& file, std::int64_t N) {
    return fmt::format(
        "kernel=dequant_fp4 manifest={} mode=fast operation=dequantize_fp4 K={} N={} group_size={} regime={} "
        "seed=0 "
        "golden={}",
        kGoldenManifest, summary.dims.at("K"), N, summary.dims.at("group_size"), summary.regime, file);
  };
  const auto N = summary.dims.at("N");
  EXPECT_EQ(assay({"replay", line(summary.path.string(), N)}).exit_code, 0);
  const auto other = assay({"replay", line(summary.path.string(), N + 1)});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.out + other.err, HasSubstr("N: is"));
  const auto gone = assay({"replay", line((set / "none.safetensors").string(), N)});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_THAT(gone.out + gone.err, HasSubstr("no such file"));
}

}  // namespace
}  // namespace assay::end_to_end
