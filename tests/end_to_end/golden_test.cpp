// The golden sets: the same seed gives the same bytes, and the set in the tree is such a one. That kernels
// agree with it CTest tests, one by one (assay_add_kernel_tests in tests/CMakeLists.txt).
#include <gmock/gmock.h>

#include "golden/safetensors.hpp"
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

}  // namespace
}  // namespace assay::end_to_end
