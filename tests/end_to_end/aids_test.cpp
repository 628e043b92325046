// What docs/debugging.md promises of `assay profile`, and that the tests it names are there.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::ContainsRegex;

/// What `assay profile` prints of a gemm_fp4 kernel with this body: 8 rows of A, 64 halves each.
std::string profile_of(const std::string& body) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(body));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const auto result = assay({"profile", "--manifest", manifest.string()});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return result.out;
}

TEST(Aids, AStridedReadHasTheBytesOfOneElementATransaction) {
  EXPECT_THAT(profile_of("  if (A[i] == half(1)) C[0] = A[i];"),
              ContainsRegex("bytes_per_transaction_of_A +64\n"));
  EXPECT_THAT(profile_of("  const uint at = i % M * K; if (A[at] == half(1)) C[0] = A[at];"),
              ContainsRegex("bytes_per_transaction_of_A +2\n"));
}

std::string all_tests() {
  std::stringstream all;
  for (const auto& file : fs::recursive_directory_iterator(kSource / "tests"))
    if (file.path().extension() == ".cpp") all << std::ifstream(file.path()).rdbuf();
  return all.str();
}

// "Suite.Name" of the page is a TEST, TEST_F or TEST_P of that suite and name.
TEST(Aids, EachNamesATestThatIsThere) {
  std::stringstream page;
  page << std::ifstream(kSource / "docs/debugging.md").rdbuf();
  const std::string text = page.str(), tests = all_tests();
  const std::regex named("`([A-Z][A-Za-z]+)\\.([A-Z][A-Za-z0-9]+)`");
  int count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at, ++count) {
    EXPECT_NE(tests.find("(" + at->str(1) + ", " + at->str(2) + ")"), std::string::npos) << at->str();
  }
  EXPECT_GE(count, 13);
}

}  // namespace
}  // namespace assay::end_to_end
