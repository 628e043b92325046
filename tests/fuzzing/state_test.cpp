// What fuzzing keeps between runs: it comes back as it was, and what anybody wrote into it is refused in a
// line.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/fuzz/findings_directory.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/run/replay_file.hpp"
#include "tests/error_of.hpp"
#include "tests/fuzzing/scratch.hpp"

namespace assay::fuzz {
namespace {

using testing::HasSubstr;

KeptFinding race() {
  KeptFinding one;
  one.manifest = "kernels.toml";
  one.kernel = "k";
  one.mode = "checked";
  one.verdict = "race";
  one.cause = "race at k.metal:7";
  one.replay =
      "kernel=k manifest=kernels.toml mode=checked operation=gemm_fp4 K=1 M=1 N=1 group_size=8 "
      "regime=constant knob.code=0 seed=0";
  one.report = "k: RACE\n";
  one.text = "abc";
  one.size = 8;
  one.seen = 3;
  return one;
}

FuzzState some() {
  FuzzState state;
  state.seed = 18446744073709551615u;
  state.cases = 123;
  state.positions[{"kernels.toml", "k", "fast"}] = {7, 3};
  state.findings = {race()};
  return state;
}

TEST(State, ComesBackAsItWas) {
  const auto back = state_from_text(to_text(some()));
  EXPECT_EQ(to_text(back), to_text(some()));
  EXPECT_EQ(back.positions, some().positions);
}

// Each line changes one thing of a state that is right.
TEST(State, OfAnybodyIsRefused) {
  const auto changed = [](const std::string& what, const std::string& with) {
    std::string text = to_text(some());
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
  };
  for (const auto& text :
       {std::string(), std::string("[]"), std::string("{"), changed("\"seed\"", "\"sed\""),
        changed("\"version\": 1", "\"version\": 2"), changed("\"done\": 3", "\"done\": 20"),
        changed("\"done\": 3", "\"done\": \"x\""), changed("\"report\"", "\"reports\"")}) {
    EXPECT_THAT(error_of<std::invalid_argument>([&] { state_from_text(text); }),
                testing::AllOf(testing::Ne("no error"), testing::Not(HasSubstr("json.exception"))))
        << text;
  }
}

TEST(Position, EndsARoundAtItsLastCase) {
  Position at;
  at.advance(kCasesOfRound - 1);
  EXPECT_EQ(at, (Position{0, kCasesOfRound - 1}));
  at.advance(1);
  EXPECT_EQ(at, (Position{1, 0}));
}

TEST(Directory, IsGoneOnFrom) {
  const Scratch scratch;
  {
    FindingsDirectory first(scratch / "new/findings", 17);
    first.write(race());
    first.state().findings = {race()};
    first.state().positions[{"m", "k", "fast"}] = {2, 5};
    first.save();
    std::ofstream(scratch / "new/findings/x.txt.assay-part") << "left by one that was killed";
  }
  FindingsDirectory second(scratch / "new/findings", std::nullopt);
  EXPECT_EQ(second.state().seed, 17u);
  EXPECT_EQ(second.state().findings.size(), 1u);
  EXPECT_EQ((second.state().positions[{"m", "k", "fast"}]), (Position{2, 5}));
  EXPECT_FALSE(std::filesystem::exists(scratch / "new/findings/x.txt.assay-part"));
}

TEST(Directory, ForgetsAFindingWhoseFileWasRemoved) {
  const Scratch scratch;
  {
    FindingsDirectory first(scratch / "f", 17);
    first.state().findings = {race()};
    first.save();
  }
  EXPECT_TRUE(FindingsDirectory(scratch / "f", std::nullopt).state().findings.empty());
}

TEST(Directory, KeepsItsSeed) {
  const Scratch scratch;
  { FindingsDirectory first(scratch / "f", 17); }
  EXPECT_THAT(error_of<std::runtime_error>([&] { FindingsDirectory(scratch / "f", 18); }),
              HasSubstr("was begun with seed 17"));
  EXPECT_EQ(FindingsDirectory(scratch / "f", 17).state().seed, 17u);
}

TEST(Directory, SaysWhatIsWrongWithIt) {
  const Scratch scratch;
  std::ofstream(scratch / "file") << "x";
  EXPECT_THAT(error_of<std::runtime_error>([&] { FindingsDirectory(scratch / "file", 1); }),
              HasSubstr("name a directory that can be written"));
  std::filesystem::create_directories(scratch / "f");
  std::ofstream(scratch / "f/state.json") << "{}";
  EXPECT_THAT(error_of<std::runtime_error>([&] { FindingsDirectory(scratch / "f", 1); }),
              HasSubstr("f/state.json: cannot be read as the state of an earlier assay fuzz"));
  std::filesystem::remove(scratch / "f/state.json");
  std::filesystem::create_directories(scratch / "f/state.json");
  EXPECT_THAT(error_of<std::runtime_error>([&] { FindingsDirectory(scratch / "f", 1); }),
              HasSubstr("not a file"));
}

// Its lock is a process's: another one has to ask.
TEST(Directory, IsRefusedToASecondProcess) {
  const Scratch scratch;
  FindingsDirectory first(scratch / "f", 17);
  EXPECT_EXIT(
      {
        const auto error = error_of<std::runtime_error>([&] { FindingsDirectory(scratch / "f", 17); });
        std::fprintf(stderr, "%s\n", error.c_str());
        std::exit(5);
      },
      testing::ExitedWithCode(5), "another assay fuzz is using it");
}

TEST(Finding, IsAFileThatReplayTakes) {
  const Scratch scratch;
  const FindingsDirectory directory(scratch / "f", 17);
  auto one = race();
  one.conclusion = "two\nlines";
  directory.write(one);
  EXPECT_EQ(run::replay_line_in(directory.file_of(one)), one.replay);
  const auto text = metal::content_of(directory.file_of(one));
  EXPECT_THAT(text, testing::StartsWith("# assay fuzz"));
  EXPECT_THAT(text, testing::EndsWith(one.report));
}

TEST(Finding, StaysInItsDirectoryWhateverTheKernelIsCalled) {
  auto one = race();
  one.kernel = "../../etc/" + std::string(5000, 'x') + "\n\xff";
  const auto name = one.file_name();
  EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
            name.size() - 4);
  EXPECT_LT(name.size(), 100u);
}

TEST(Finding, IsToldByKernelModeAndCause) {
  const auto one = race();
  for (std::string KeptFinding::*const member :
       {&KeptFinding::manifest, &KeptFinding::kernel, &KeptFinding::mode, &KeptFinding::cause}) {
    auto other = one;
    other.*member += "2";
    EXPECT_FALSE(one.is(other));
    EXPECT_NE(one.file_name(), other.file_name());
  }
  auto other = one;
  other.seen = 99, other.size = 1, other.text = "later", other.replay = "smaller";
  EXPECT_TRUE(one.is(other));
  EXPECT_EQ(one.file_name(), other.file_name());
}

TEST(Finding, WhoseDiagnosisWasCutShortHasAnyConclusion) {
  auto cut = race(), codes = race(), scales = race();
  codes.conclusion = "codes #";
  scales.conclusion = "scales";
  EXPECT_TRUE(cut.is(codes));
  EXPECT_TRUE(codes.is(cut));
  EXPECT_FALSE(codes.is(scales));
}

}  // namespace
}  // namespace assay::fuzz
