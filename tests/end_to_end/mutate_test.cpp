// Mutation testing of somebody else's kernel: every kind of outcome, the diff, the report, the list of
// equivalents, and a run that goes on where another stopped.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "harness/mutate/mutation_campaign.hpp"
#include "harness/mutate/mutation_run.hpp"
#include "harness/run/manifests.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

// `spare` is of no use: a change to it compiles to the same code. `|` and `^` of bits that never meet give
// the same results, but not by the same code.
constexpr const char* kKernel = R"(#include <metal_stdlib>
using namespace metal;
#define WORD 8  // codes
kernel void k(device const uint* B [[buffer(0)]], device const half* scales [[buffer(1)]],
              device half* W [[buffer(2)]], constant uint& K [[buffer(3)]], constant uint& N [[buffer(4)]],
              constant uint& group_size [[buffer(5)]], uint2 p [[thread_position_in_grid]]) {
  const uint spare = K + 3;
  const uint code = B[p.y / WORD * N + p.x] >> (4 * (p.y & 7)) & 15;
  const uint bits = (code & 7) < 2 ? (code & 7) * 0x3800 : ((code & 7) << 9) + 0x3800;
  W[p.y * N + p.x] = as_type<half>(ushort((code & 8) << 12 | bits)) * scales[p.y / group_size * N + p.x];
}
)";

constexpr const char* kMutatedManifest = R"([[kernel]]
name = "theirs"
function = "k"
source = "k.metal"
operation = "dequantize_fp4"
arguments = ["B", "scales", "W", "K", "N", "group_size"]
threads_per_threadgroup = [8, 8, 1]
grid = "elements"
)";

class Mutate : public testing::Test {
 protected:
  Mutate() {
    scratch_.write("k.metal", kKernel);
    scratch_.write("m.toml", kMutatedManifest);
    fs::create_directories(cache());
  }
  fs::path cache() const { return scratch_ / "cache"; }

  metal::ProcessResult mutate(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv = {
        "env",        "ASSAY_CACHE_DIR=" + cache().string(), kProgram.string(), "mutate",
        "--manifest", (scratch_ / "m.toml").string(),        "--cases",         "100"};
    argv.insert(argv.end(), more.begin(), more.end());
    return metal::run_process(argv);
  }

  Scratch scratch_;
};

// Else none of the results would be found, and 0 of 0 mutants be a score.
TEST_F(Mutate, OfAManifestThatChangesMeanwhileIsAnError) {
  const auto entries = run::load_manifest((scratch_ / "m.toml").string());
  mutate::MutateOptions options;
  options.cases = 20;
  options.sample = 2;
  std::string error;
  mutate::mutate_kernels(
      {&entries[0]}, options, mutate::Equivalents{},
      [&](std::size_t, std::size_t done, std::size_t all) {
        if (done == all) scratch_.write("m.toml", std::string(kMutatedManifest) + "# changed\n");
      },
      [&](std::size_t, const mutate::KernelMutants& judged) { error = judged.error; });
  EXPECT_THAT(error, HasSubstr("changed while its mutants were judged"));
}

TEST_F(Mutate, JudgesGoesOnAndTakesExplanations) {
  const auto some = mutate({"--sample", "6"});
  EXPECT_THAT(some.out, HasSubstr("6 mutants judged")) << some.err;
  // Stopped while it wrote.
  for (const auto& file : fs::directory_iterator(cache() / "mutation")) {
    std::ofstream(file.path(), std::ios::app) << "{\"type\": \"mut";
  }

  const auto report = scratch_ / "report.json";
  const auto all = mutate({"--report", report.string()});
  EXPECT_EQ(all.exit_code, 1) << all.out << all.err;
  EXPECT_THAT(all.out, HasSubstr("6 mutants were judged by an earlier run"));
  EXPECT_THAT(all.out, HasSubstr("k.metal:10\n"
                                 "  - W[p.y * N + p.x] = as_type<half>(ushort((code & 8) << 12 | bits)) * "
                                 "scales[p.y / group_size * N + p.x];\n"
                                 "  + W[p.y * N + p.x] = as_type<half>(ushort((code & 8) << 12 ^ bits)) * "
                                 "scales[p.y / group_size * N + p.x];\n"));
  EXPECT_THAT(all.out, HasSubstr("mean relative difference < 0.04"));

  const auto json = nlohmann::json::parse(read(report));
  const auto& kernel = json.at("kernels").at(0);
  std::map<std::string, int> status;
  std::string survivors;
  for (const auto& mutant : kernel.at("mutants")) {
    const auto found = mutant.at("status").get<std::string>();
    ++status[found];
    const bool useless = mutant.at("kind") == "constant" && mutant.at("line") == 7;
    EXPECT_TRUE(!useless || found == "equivalent") << mutant;
    EXPECT_TRUE(found != "killed" || mutant.at("verdict") != "pass") << mutant;
    if (mutant.at("status") != "survived") continue;
    survivors += "[[equivalent]]\nfile = \"k.metal\"\nline = '''" +
                 mutant.at("before").at(0).get<std::string>() + "'''\nbecomes = ['''" +
                 mutant.at("after").at(0).get<std::string>() + "''']\nreason = \"the bits never meet\"\n";
  }
  EXPECT_GT(status["killed"], 30);
  EXPECT_GT(status["equivalent"], 0);
  EXPECT_GT(status["survived"], 0);
  EXPECT_EQ(kernel.at("totals").at("killed"), status["killed"]);

  const auto list = scratch_.write("equivalent.toml", survivors);
  const auto explained = mutate();
  EXPECT_EQ(explained.exit_code, 0) << explained.out << explained.err;
  EXPECT_THAT(explained.out, Not(HasSubstr(" judged in ")));

  // What was explained met the first cases only: without its entry, it is judged by all.
  EXPECT_EQ(mutate({"--fresh"}).exit_code, 0);
  fs::rename(list, scratch_ / "aside.toml");
  const auto open = mutate();
  EXPECT_EQ(open.exit_code, 1) << open.out << open.err;
  EXPECT_THAT(open.out, HasSubstr(std::to_string(status["survived"]) + " mutants judged in"));
  fs::rename(scratch_ / "aside.toml", list);

  std::ofstream(list, std::ios::app) << "[[equivalent]]\nfile = \"k.metal\"\nline = \"gone\"\n"
                                        "becomes = [\"gone too\"]\nreason = \"r\"\n";
  const auto stale = mutate();
  EXPECT_EQ(stale.exit_code, 1) << stale.out << stale.err;
  EXPECT_THAT(stale.err, HasSubstr("no mutant that survives becomes `gone too`"));
}

// Columns past 2^23 are planned alone: no other case has them, and the text names no size that is taken.
TEST_F(Mutate, WhatAllDrawnCasesLetPassIsAskedThePlannedOnes) {
  scratch_.write("k.metal", R"(#include <metal_stdlib>
using namespace metal;
uint at(uint n) { return n < 9000000 ? n : n | 0; }
kernel void k(device const uint* B [[buffer(0)]], device const half* scales [[buffer(1)]],
              device half* W [[buffer(2)]], constant uint& K [[buffer(3)]], constant uint& N [[buffer(4)]],
              constant uint& group_size [[buffer(5)]], uint2 p [[thread_position_in_grid]]) {
  const uint code = B[p.y / 8 * N + p.x] >> (4 * (p.y & 7)) & 7;
  const uint sign = B[p.y / 8 * N + p.x] >> (4 * (p.y & 7)) & 8;
  const uint bits = code < 2 ? code * 0x3800 : (code << 9) + 0x3800;
  W[p.y * N + p.x] = as_type<half>(ushort(sign << 12 | bits)) * scales[p.y / group_size * N + at(p.x)];
}
)");
  const auto report = scratch_ / "report.json";
  const auto run = mutate({"--report", report.string()});
  const auto json = nlohmann::json::parse(read(report));
  int planned = 0;
  for (const auto& mutant : json.at("kernels").at(0).at("mutants")) {
    if (mutant.at("after").at(0) != "uint at(uint n) { return n < 9000000 ? n : n & 0; }") continue;
    EXPECT_EQ(mutant.at("status"), "killed") << mutant;
    EXPECT_GE(mutant.at("case"), 100) << mutant;
    ++planned;
  }
  EXPECT_EQ(planned, 1) << run.out << run.err;
}

TEST_F(Mutate, KernelThatIsWrongSaysNothingOfItsMutants) {
  std::string text = kKernel;
  text.replace(text.find("0x3800;"), 7, "0x3801;");
  scratch_.write("k.metal", text);
  const auto result = mutate({"--sample", "3"});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("the kernel itself does not pass"));
}

TEST_F(Mutate, BadListsNameFileLineAndField) {
  const auto list = scratch_.write("equivalent.toml",
                                   "\n[[equivalent]]\nfile = \"k.metal\"\nline = \"x\"\n"
                                   "becomes = [\"y\"]\nreasons = \"z\"\nreason = \"z\"\n");
  const auto result = mutate({"--sample", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(list.string() + ":6: equivalent.reasons: is not a field"));
}

}  // namespace
}  // namespace assay::end_to_end
