// The golden sets: the same seed gives the same bytes, and Assay's kernels agree with the set in the tree.
#include <gmock/gmock.h>

#include "golden/golden_case.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/test_devices.hpp"
#include "properties/cases/trial.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

TEST(Golden, TheSameSeedGivesTheSameBytes) {
  const Scratch scratch;
  for (const char* name : {"one", "two"}) {
    const auto made = assay({"golden", "make", "--operation", "dequantize_fp4", "--seed", "11", "--cases",
                             "5", "--out", (scratch / name).string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(scratch / "one")) {
    EXPECT_EQ(read(file.path()), read(scratch / "two" / file.path().filename())) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 5u);
}

TEST(Golden, TheSetInTheTreeIsWhatItsMetadataSays) {
  const auto checked = assay({"golden", "check", "--all", (kSource / "golden/sets").string()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

// Data that differ are rejected, data that cannot be read are not judged; both were status 2.
TEST(Golden, AFileThatDiffersIsStatus1AndOneThatCannotBeReadIs2) {
  const Scratch scratch;
  const std::string set = (scratch / "set").string();
  const auto made = assay({"golden", "make", "--operation", "dequantize_fp4", "--cases", "2", "--out", set});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const fs::path first = fs::path(set) / "dequantize_fp4-1-0000.safetensors";
  const std::string whole = read(first);
  std::string changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  scratch.write("set/" + first.filename().string(), changed);
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 2);  // its hash says so
  const auto mended = golden::read_safetensors(first);
  golden::write_safetensors(first, mended);
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 1);
  scratch.write("set/" + first.filename().string(), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 2);
  scratch.write("set/" + first.filename().string(), whole);
  EXPECT_EQ(assay({"golden", "check", set}).exit_code, 0);
}

class GoldenKernels : public testing::TestWithParam<run::Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, GoldenKernels, testing::Values(run::Mode::fast, run::Mode::checked),
                         [](const auto& info) { return std::string(run::name_of(info.param)); });

TEST_P(GoldenKernels, AgreeWithTheSetInTheTree) {
  const auto entries = run::load_manifest((kSource / "kernels/kernels.toml").string());
  std::size_t judged = 0;
  for (const auto& entry : entries) {
    run::TestDevices devices(GetParam());
    const properties::Trial trial(entry, devices.devices());
    const auto space = trial.operation().cases(properties::traits_of(entry));
    for (const auto& file : fs::directory_iterator(kSource / "golden/sets")) {
      const auto golden = golden::read_case(file.path());
      if (golden.problem.operation != entry.operation || entry.unmet_requirement(golden.problem.dims) ||
          !space.asks(golden.regime))
        continue;
      // A kernel that declares another chain of roundings is right otherwise than the file says.
      const bool as_stored = golden.arithmetic == entry.arithmetic;
      const auto result =
          as_stored ? trial.run(golden.problem, golden.expectations) : trial.run(golden.problem);
      EXPECT_EQ(result.outcome.verdict, Verdict::pass)
          << entry.name << " " << file.path() << result.outcome.summary;
      ++judged;
    }
  }
  EXPECT_GE(judged, entries.size());
}

}  // namespace
}  // namespace assay::end_to_end
