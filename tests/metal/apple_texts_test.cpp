// Texts that Apple's compiler refuses, with its reason and the line, and texts that it takes (sources/apple).
// The first line of each says which: `// loads`, or `// refused, line 4: what the message says`; a second one
// may name the version of Metal: `// metal: 4.0`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "harness/device/metal_version.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

std::vector<std::string> texts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("apple")))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class AppleText : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, AppleText, testing::ValuesIn(texts()),
                         [](const auto& info) { return info.param; });

TEST_P(AppleText, DoesWhatItsFirstLineSays) {
  device::KernelSource source;
  source.path = source_path("apple/" + GetParam() + ".metal");
  std::ifstream file(source.path);
  std::string first, second;
  std::getline(file, first), std::getline(file, second);
  if (second.starts_with("// metal: "))
    source.defines[device::kMetalVersionMacro] =
        std::to_string(*device::metal_version_from(second.substr(10)));
  source.function = outline_of(preprocess(source), source, {.lists = true}).kernels.at(0);
  std::smatch match;
  if (std::regex_match(first, match, std::regex("// refused, line (\\d+): (.+)"))) {
    for (const Flavour flavour : {Flavour::fast, Flavour::checked}) {
      try {
        compile(source, flavour);
        ADD_FAILURE() << "loads";
      } catch (const SourceError& error) {
        EXPECT_EQ(std::to_string(error.line()), match[1]) << error.what();
        EXPECT_THAT(error.what(), testing::HasSubstr(match[2].str()));
      }
    }
    return;
  }
  ASSERT_EQ(first, "// loads");
  EXPECT_NO_THROW(compile(source, Flavour::fast));
  EXPECT_NO_THROW(compile(source, Flavour::checked));
}

}  // namespace
}  // namespace assay::metal
