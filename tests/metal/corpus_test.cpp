// Kernel files that use what public Metal code uses, written from a list of features
// (sources/corpus): every kernel of every file loads, but for those that the file says do not.
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

std::vector<std::string> corpus() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("corpus"))) {
    if (entry.path().extension() == ".metal") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What a file says of itself: `// function_constants: 20 = true, 300 = 128`, `// refused: kernel: why` and
// `// metal: 4.0`.
struct Remarks {
  unsigned metal_version = device::kMetalVersion;
  std::map<std::uint32_t, std::string> constants;
  std::map<std::string, std::string> refused;
};
Remarks remarks_of(const std::filesystem::path& path) {
  static const std::regex constant("(\\d+) = ([^,]+)"), refusal("// refused: (\\w+): (.+)");
  Remarks found;
  std::ifstream file(path);
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, refusal)) found.refused[match[1]] = match[2];
    if (line.starts_with("// metal: ")) found.metal_version = *device::metal_version_from(line.substr(10));
    if (!line.starts_with("// function_constants:")) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), constant), end; at != end; ++at)
      found.constants[static_cast<std::uint32_t>(std::stoul((*at)[1]))] = (*at)[2];
  }
  return found;
}

// "" where it loads.
std::string refusal_of(const std::filesystem::path& path, const std::string& kernel, const Remarks& remarks) {
  try {
    device::KernelSource source;
    source.path = path;
    source.function = kernel;
    source.defines[device::kMetalVersionMacro] = std::to_string(remarks.metal_version);
    source.function_constants = remarks.constants;
    source.shared_settings = true;
    compile(source, Flavour::fast);
  } catch (const SourceError& error) {
    return error.what();
  }
  return {};
}

class Corpus : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, Corpus, testing::ValuesIn(corpus()), [](const auto& info) { return info.param; });

TEST_P(Corpus, Loads) {
  const auto path = source_path("corpus/" + GetParam() + ".metal");
  const auto remarks = remarks_of(path);
  device::KernelSource source;
  source.path = path;
  source.defines[device::kMetalVersionMacro] = std::to_string(remarks.metal_version);
  const auto kernels = outline_of(preprocess(source), source, {.lists = true}).kernels;
  EXPECT_FALSE(kernels.empty());
  for (const auto& kernel : kernels) {
    const auto said = refusal_of(path, kernel, remarks);
    const auto expected = remarks.refused.find(kernel);
    if (expected == remarks.refused.end()) {
      EXPECT_EQ(said, "") << kernel;
    } else {
      EXPECT_NE(said.find(expected->second), std::string::npos) << kernel << ": " << said;
    }
  }
}

}  // namespace
}  // namespace assay::metal
