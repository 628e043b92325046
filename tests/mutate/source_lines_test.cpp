// Mutants as their author sees them: the lines of the file, macros and comments included.
#include "harness/mutate/source_lines.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace assay::mutate {
namespace {

using testing::ElementsAre;

class Lines : public testing::Test {
 protected:
  Lines()
      : file_(std::filesystem::temp_directory_path() / ("assay-lines-" + std::to_string(getpid()) + ".h")) {}
  ~Lines() override { std::filesystem::remove(file_); }

  // What each mutation of one kind makes of a file, given what the preprocessor made of it.
  std::vector<ChangedLines> changed(const std::string& file, const std::string& preprocessed,
                                    const std::string& kind) {
    std::ofstream(file_) << file;
    const auto text =
        metal::tokenize(metal::kBodyNames + "\n# 1 \"" + file_.string() + "\"\n" + preprocessed, "main");
    SourceLines lines(text);
    std::vector<ChangedLines> found;
    for (const auto& mutation : all_of(text, mutations_of)) {
      if (mutation.kind == kind) found.push_back(lines.of(mutation));
    }
    return found;
  }

  std::filesystem::path file_;
};

TEST_F(Lines, MacrosAndCommentsStandAsTheyAreWritten) {
  const auto found = changed("#define TILE 32\nvoid f() {\n  x = TILE / y;  // of each\n}\n",
                             "\nvoid f() {\n  x = 32 / y;\n}\n", "arithmetic");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].file, file_.string());
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_THAT(found[0].before, ElementsAre("x = TILE / y;  // of each"));
  EXPECT_THAT(found[0].after, ElementsAre("x = TILE * y; // of each"));
}

TEST_F(Lines, MacroThatHoldsTheFaultIsExpanded) {
  const auto found = changed("#define TILE 32\nvoid f() {\n  p[i] = g(y, TILE);\n}\n",
                             "\nvoid f() {\n  p[i] = g(y, 32);\n}\n", "constant");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].after, ElementsAre("p[i] = g(y, 33);"));
}

TEST_F(Lines, MacroThatEndsInAParenthesisKeepsItsOwn) {
  const auto found = changed("#define BOUND (1 + 2)\nvoid f() {\n  if (x < BOUND) return;\n}\n",
                             "\nvoid f() {\n  if (x < (1 + 2)) return;\n}\n", "condition");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].after, ElementsAre("if (true) return;"));
  EXPECT_THAT(found[1].after, ElementsAre("if (false) return;"));
}

TEST_F(Lines, StatementOfSeveralLinesGoesAsAWhole) {
  const std::string text = "void f() {\n  g(x,\n    y);\n}\n";
  const auto found = changed(text, text, "statement");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2u);
  EXPECT_THAT(found[0].before, ElementsAre("g(x,", "y);"));
  EXPECT_THAT(found[0].after, ElementsAre(";"));
}

}  // namespace
}  // namespace assay::mutate
