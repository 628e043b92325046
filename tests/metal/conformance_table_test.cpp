// The table of conformance features names files and tests that exist, and every feature.
#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

const std::filesystem::path kTests = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests";

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What stands in backquotes.
std::vector<std::string> quoted(const std::string& cell) {
  static const std::regex quotes("`([^`]+)`");
  std::vector<std::string> found;
  for (std::sregex_iterator at(cell.begin(), cell.end(), quotes), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

struct Feature {
  std::string number;
  std::vector<std::string> files, tests;
};

std::vector<Feature> features() {
  static const std::regex row("\\| *(B?[0-9]+) *\\|[^|]*\\|([^|]*)\\|([^|]*)\\|");
  std::vector<Feature> found;
  std::ifstream table(source_path("conformance/README.md"));
  std::smatch match;
  for (std::string line; std::getline(table, line);) {
    if (std::regex_match(line, match, row)) found.push_back({match[1], quoted(match[2]), quoted(match[3])});
  }
  return found;
}

// Suite.Name of every test that the sources of these tests define.
std::set<std::string> defined_tests() {
  static const std::regex definition("\\bTEST(?:_P|_F)?\\(\\s*(\\w+),\\s*(\\w+)\\)");
  std::set<std::string> found;
  for (const auto* folder : {"metal", "metal_stdlib"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kTests / folder)) {
      if (!entry.path().filename().string().starts_with("conformance")) continue;
      const auto text = text_of_file(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at)
        found.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return found;
}

TEST(ConformanceTable, NamesEveryFeatureOnce) {
  std::vector<std::string> numbers, expected;
  for (const auto& feature : features()) numbers.push_back(feature.number);
  for (int k = 1; k <= 158; ++k) expected.push_back(std::to_string(k));
  for (int k = 1; k <= 34; ++k) expected.push_back("B" + std::to_string(k));
  EXPECT_EQ(numbers, expected);
}

TEST(ConformanceTable, NamesFilesAndTestsThatExist) {
  const auto defined = defined_tests();
  for (const auto& feature : features()) {
    EXPECT_FALSE(feature.files.empty() || feature.tests.empty()) << feature.number;
    for (const auto& file : feature.files) {
      EXPECT_TRUE(std::filesystem::is_regular_file(source_path("conformance/" + file)) ||
                  std::filesystem::is_regular_file(kTests / "metal_stdlib/units" / file))
          << feature.number << ": " << file;
    }
    for (const auto& test : feature.tests)
      EXPECT_TRUE(defined.contains(test)) << feature.number << ": " << test;
  }
}

TEST(ConformanceTable, LeavesOutNoFileAndNoTest) {
  std::set<std::string> files, tests;
  for (const auto& feature : features()) {
    files.insert(feature.files.begin(), feature.files.end());
    tests.insert(feature.tests.begin(), feature.tests.end());
  }
  const auto folder = source_path("conformance");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto name = std::filesystem::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && name != "README.md") {
      EXPECT_TRUE(files.contains(name)) << name;
    }
  }
  for (const auto& test : defined_tests())
    EXPECT_TRUE(tests.contains(test) || test.starts_with("ConformanceTable.")) << test;
}

}  // namespace
}  // namespace assay::metal
