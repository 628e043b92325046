// A fault is reported at the line it happens at, however the compiler arranged the code.
#include <gmock/gmock.h>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

// Line of the first place in a source file that has this text.
std::uint32_t line_of(const std::filesystem::path& path, const std::string& text) {
  std::ifstream in(path);
  std::string line;
  for (std::uint32_t number = 1; std::getline(in, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  return 0;
}

device::Fault fault_of(const std::filesystem::path& path, const std::string& function,
                       std::size_t constant_bytes = 0) {
  KernelRun kernel(path, function);
  if (constant_bytes != 0) {
    kernel.buffer(0, std::vector<std::byte>(constant_bytes)).buffer(1, std::vector<float>(8));
  } else {
    kernel.buffer(0, std::vector<float>(8, 1)).buffer(1, std::vector<float>(8, 2));
  }
  const auto report = kernel.run(simulator::Mode::checked).report;
  EXPECT_EQ(report.faults.size(), 1u);
  return report.faults.empty() ? device::Fault{} : report.faults[0];
}

struct Case {
  const char* function;
  const char* file;
  const char* text;
};
class Places : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(, Places,
                         testing::Values(Case{"in_helper", "faults.metal", "return 2 * data[i]"},
                                         Case{"in_header", "faults/helper.h", "const float wrong"},
                                         Case{"in_own_body", "faults.metal", "out[i + 5000]"}),
                         [](const auto& one) { return one.param.function; });

TEST_P(Places, OfInlinedCode) {
  const auto fault = fault_of(source_path("faults.metal"), GetParam().function);
  EXPECT_EQ(fault.kind, device::FaultKind::out_of_bounds);
  EXPECT_EQ(std::filesystem::path(fault.place.file).lexically_normal(), source_path(GetParam().file));
  EXPECT_EQ(fault.place.line, line_of(source_path(GetParam().file), GetParam().text));
}

TEST(PlacesOfArguments, AreTheKernels) {
  const auto fault = fault_of(source_path("faults.metal"), "in_argument", 8);
  EXPECT_EQ(fault.kind, device::FaultKind::out_of_bounds);
  EXPECT_EQ(fault.place.line, line_of(source_path("faults.metal"), "void in_argument"));
}

TEST(PlacesOfIndices, AreTheStatements) {
  KernelRun kernel(source_path("faults.metal"), "in_array");
  kernel.buffer(0, std::vector<float>(1)).value(1, std::uint32_t{9});
  const auto report = kernel.run(simulator::Mode::checked).report;
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].place.line, line_of(source_path("faults.metal"), "rows.row[i]"));
}

// Paths as they were given: relative ones stay so, and a folder called assay is no part of the program.
TEST(PlacesOfPaths, AreAsTheyWereGiven) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "assay/metal");
  std::filesystem::copy(source_path("faults.metal"), directory.path() / "assay/metal/faults.metal");
  std::filesystem::copy(source_path("faults"), directory.path() / "assay/metal/faults",
                        std::filesystem::copy_options::recursive);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const auto helper = fault_of("assay/metal/faults.metal", "in_helper");
  const auto header = fault_of("assay/metal/faults.metal", "in_header");
  std::filesystem::current_path(before);
  EXPECT_EQ(helper.place.file, "assay/metal/faults.metal");
  EXPECT_EQ(std::filesystem::path(header.place.file).lexically_normal(), "assay/metal/faults/helper.h");
}

}  // namespace
}  // namespace assay::metal
