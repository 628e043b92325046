// `assay load`: which kernels of Metal files load, and why others do not.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

class Load : public testing::Test {
 protected:
  int load(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"load"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = assay(arguments);
    words_ = result.out + result.err;
    return result.exit_code;
  }
  std::string file(const std::string& name, const std::string& text) {
    return scratch_.write(name, kHead + text).string();
  }

  Scratch scratch_;
  std::string words_;
};

const std::string kGood =
    "kernel void copy(device const float* x, device float* y, uint i [[thread_position_in_grid]]) {\n"
    "  y[i] = x[i];\n}\n";

TEST_F(Load, KernelsThatDoNotLoadAreNamedWithTheReason) {
  std::string text = kGood;
  for (int i = 0; i < 5; ++i) {
    text += "kernel void wide" + std::to_string(i) +
            "(device float* y, uint i [[thread_position_in_grid]]) { y[i] = far(i); }\n";
  }
  const auto some = file("some.metal", "float far(uint i) { double d = i; return d; }\n" + text);
  const auto good = file("good.metal", kGood);
  EXPECT_EQ(load({some, good}), 2);
  EXPECT_THAT(words_, HasSubstr(some + ": 1 of 6 kernels load\n"));
  EXPECT_THAT(words_, HasSubstr("some.metal:3: "));
  EXPECT_THAT(words_, HasSubstr("    wide0, wide1, wide2 and 2 more (--verbose names them)\n"));
  EXPECT_THAT(words_, HasSubstr(good + ": 1 of 1 kernel loads\n"));
  EXPECT_THAT(words_, HasSubstr("2 of 7 kernels of 2 files load\n"));
  EXPECT_EQ(load({some, good, "--verbose"}), 2);
  EXPECT_THAT(words_, HasSubstr("    wide0, wide1, wide2, wide3, wide4\n"));
  EXPECT_EQ(load({some, good, "--quiet"}), 2);
  EXPECT_THAT(words_, Not(HasSubstr(good)));
}

TEST_F(Load, ConstantsWithoutAValueGetOneAndTheOthersTheirs) {
  const auto text = file("switched.metal",
                         "constant uint rows [[function_constant(7)]];\n"
                         "kernel void fold(device float* y, uint i [[thread_position_in_grid]]) {\n"
                         "  threadgroup float part[rows];\n  part[0] = i;\n  y[i] = part[0];\n}\n");
  EXPECT_EQ(load({text}), 0) << words_;
  EXPECT_THAT(words_, HasSubstr("function constant 7 (uint rows) is 4; --constant says otherwise\n"));
  EXPECT_EQ(load({text, "--constant", "7=many"}), 2) << words_;
  EXPECT_THAT(words_, Not(HasSubstr("says otherwise")));
}

// One command line is for all kernels of all files.
TEST_F(Load, AKernelNeedNotUseAllSettings) {
  const auto folder = scratch_ / "shared";
  std::filesystem::create_directories(folder);
  scratch_.write("shared/rows.h", "constant uint rows [[function_constant(7)]];\n");
  const auto both = file("both.metal", kGood +
                                           "#include \"rows.h\"\n"
                                           "kernel void fold(device float* y) { y[rows] = 1; }\n");
  const auto good = file("good.metal", kGood);
  EXPECT_EQ(load({both, good, "--include-dir", folder.string(), "--constant", "7=2"}), 0) << words_;
  EXPECT_THAT(words_, HasSubstr("3 of 3 kernels of 2 files load\n"));
  EXPECT_EQ(load({both, good, "--include-dir", folder.string(), "--constant", "9=2"}), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("--constant 9=2: no kernel that was read uses [[function_constant(9)]]"));
}

TEST_F(Load, AValueThatMayBeWrongIsNamedWhereItStopsAKernel) {
  const auto text =
      file("sized.metal",
           "constant uint rows [[function_constant(7)]];\nconstant uint most = rows * 0x40000000;\n"
           "kernel void fold(device float* y) {\n"
           "  threadgroup float part[rows - 4];\n  part[rows] = y[0];\n  y[1] = nosuch(most);\n}\n");
  EXPECT_EQ(load({text}), 2);
  EXPECT_THAT(words_, HasSubstr("function constant 7 (uint rows) is 4; --constant says otherwise\n"));
}

TEST_F(Load, FilesWithoutKernelsAndFilesThatAreNotThereAreNoSuccess) {
  const auto header = file("header.metal", "inline float twice(float x) { return 2 * x; }\n");
  EXPECT_EQ(load({header}), 2);
  EXPECT_THAT(words_, HasSubstr(header + ": no kernel functions\n"));
  const auto good = file("good.metal", kGood);
  EXPECT_EQ(load({(scratch_ / "nosuch.metal").string(), good}), 2);
  EXPECT_THAT(words_, HasSubstr("nosuch.metal: cannot read the kernel source"));
  EXPECT_THAT(words_, HasSubstr("1 of 1 kernel of 2 files loads; 1 file could not be read\n"));
  EXPECT_EQ(load({good, header}), 0);
}

}  // namespace
}  // namespace assay::end_to_end
