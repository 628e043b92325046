// What comments and pages cite is in the repository: headings of docs/, sections of the design documents,
// links.
#include "tests/docs/citations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace assay::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kSource = ASSAY_SOURCE_DIR;

const Pages& pages() {
  static const Pages all = read_pages(kSource / "docs");
  return all;
}

std::vector<std::filesystem::path> texts() {
  static const std::set<std::string> kinds = {".hpp", ".cpp", ".h",  ".metal", ".toml", ".md",
                                              ".txt", ".inc", ".py", ".cmake", ".sh",   ""};
  std::vector<std::filesystem::path> found;
  for (const auto& top : std::filesystem::directory_iterator(kSource)) {
    const std::string name = top.path().filename();
    if (name.starts_with(".") || name.starts_with("build")) continue;
    if (top.is_regular_file()) {
      if (kinds.contains(top.path().extension())) found.push_back(top.path());
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top.path())) {
      if (entry.is_regular_file() && kinds.contains(entry.path().extension())) found.push_back(entry.path());
    }
  }
  return found;
}

TEST(Citations, OfEveryTextResolve) {
  const auto all = texts();
  EXPECT_GT(all.size(), 300u) << "where are the sources?";
  for (const auto& path : all) {
    if (path.parent_path() == kSource / "tests/docs") continue;  // what does not resolve, on purpose
    EXPECT_THAT(unresolved(read_text(path), pages()), IsEmpty()) << path;
  }
}

TEST(Citations, LinksOfEveryPageLead) {
  for (const auto& path : texts()) {
    if (path.extension() != ".md") continue;
    EXPECT_THAT(dead_links(read_text(path), path.parent_path()), IsEmpty()) << path;
  }
}

// docs/claims.md gives each figure's section; docs/documents.md says what stands there.
TEST(Citations, SectionsOfFiguresAreDescribed) {
  const std::regex key(R"re((name|section) = "([^",]*))re");
  std::istringstream in(read_text(kSource / "docs/claims.toml"));
  std::string document;
  std::size_t figures = 0;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, key)) continue;
    if (match[1] == "name") {
      document = match[2];
      continue;
    }
    ++figures;
    ASSERT_TRUE(pages().sections.contains(document)) << document;
    EXPECT_TRUE(pages().sections.at(document).contains(match[2])) << document << ", " << match[2];
  }
  EXPECT_GT(figures, 100u);
}

// "(2, 3)" in the tables of docs/documents.md.
TEST(Citations, NumberedFaultsAreDescribed) {
  const std::string text = read_text(kSource / "docs/documents.md");
  const std::regex list(R"(\((\d+(?:, \d+)*)\))"), number(R"(\d+)");
  std::size_t used = 0;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), list); at != std::sregex_iterator(); ++at) {
    const std::string numbers = (*at)[1];
    for (auto one = std::sregex_iterator(numbers.begin(), numbers.end(), number);
         one != std::sregex_iterator(); ++one, ++used) {
      EXPECT_THAT(unresolved("docs/documents.md, fault " + one->str(), pages()), IsEmpty());
    }
  }
  EXPECT_GT(used, 10u);
}

TEST(Unresolved, PagesAndHeadings) {
  const auto wrong = [](const std::string& text) { return unresolved(text, pages()); };
  EXPECT_THAT(wrong("// (docs/formats.md,\n// \"FP4\" and \"INT4\")"), IsEmpty());
  EXPECT_THAT(wrong("docs/nothing.md"), ElementsAre(HasSubstr("no such page")));
  EXPECT_THAT(wrong("/// (docs/formats.md, \"FP4\" and\n/// \"INT5\")"),
              ElementsAre(HasSubstr("no heading \"INT5\"")));
  EXPECT_THAT(wrong("docs/mutation.md#the-scores"), ElementsAre(HasSubstr("no such heading")));
  EXPECT_THAT(wrong("(docs/documents.md, fault 99)"), ElementsAre(HasSubstr("no fault 99")));
}

TEST(Unresolved, SectionsOfDocuments) {
  const auto wrong = [](const std::string& text) { return unresolved(text, pages()); };
  EXPECT_THAT(wrong("Document 002, section 5.1 (docs/documents.md)"), IsEmpty());
  EXPECT_THAT(wrong("Document 001,\n// section \"load phase\" (docs/documents.md)"), IsEmpty());
  EXPECT_THAT(wrong("Document 002, section 5.9 (docs/documents.md)"),
              ElementsAre(HasSubstr("does not know")));
  EXPECT_THAT(wrong("Document 009 (docs/documents.md)"), ElementsAre(HasSubstr("does not know")));
  EXPECT_THAT(wrong("Document 002, section 5.1"), ElementsAre(HasSubstr("say that it is described")));
}

TEST(Unresolved, SectionsOfWhoKnowsWhat) {
  const auto wrong = [](const std::string& text) { return unresolved(text, pages()); };
  EXPECT_THAT(wrong("Apple's Metal Shading Language\n// Specification 3.2, section 6.15"), IsEmpty());
  EXPECT_THAT(wrong("MSL Specification 5.2.3"), ElementsAre(HasSubstr("of what?")));
  EXPECT_THAT(wrong("the roundings of section 2"), ElementsAre(HasSubstr("of what?")));
  EXPECT_THAT(wrong("see spec.md"), ElementsAre(HasSubstr("of what?")));
}

TEST(DeadLinks, FilesAndAnchors) {
  const auto dead = [](const std::string& text) { return dead_links(text, kSource / "docs"); };
  EXPECT_THAT(dead("[a](formats.md#magic-bias) [b](https://example.org/x) [c](#here)\n# Here"), IsEmpty());
  EXPECT_THAT(dead("```\n[a](nothing.md)\n```\n"), IsEmpty());
  EXPECT_THAT(dead("[a](nothing.md)"), ElementsAre(HasSubstr("no such file")));
  EXPECT_THAT(dead("[a](formats.md#fp5)"), ElementsAre(HasSubstr("no such heading")));
  EXPECT_THAT(dead("[a](#nowhere)"), ElementsAre(HasSubstr("no such heading")));
}

}  // namespace
}  // namespace assay::tests
