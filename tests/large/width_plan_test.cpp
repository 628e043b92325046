// Planned cases: that they lead past every width that a kernel's tensors can go past, and are few.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "properties/large/large_problem.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/share.hpp"
#include "properties/large/width_plan.hpp"
#include "tests/large/entries.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

std::set<std::string> tags_of(const Operation& operation, const std::vector<Case>& cases) {
  std::set<std::string> tags;
  for (const Case& test_case : cases) {
    const Problem problem = make_large_problem(operation, test_case);
    for (const TensorSpec& spec : operation.declaration().tensors) {
      std::size_t elements = 1;
      for (const std::size_t side : spec.shape(problem.dims)) elements *= side;
      const auto own = width_tags(spec.name, elements, assay::size_of(spec.dtype));
      tags.insert(own.begin(), own.end());
    }
  }
  return tags;
}

TEST(WidthPlan, OfOurKernelsReachesWhatItWantsInFewCases) {
  std::vector<std::string> unplanned;
  for (const KernelEntry& entry : testing::our_kernels()) {
    const Operation& operation = find_operation(entry.operation);
    const WidthPlan plan = plan_widths(entry, operation, 8 * kGiB);
    if (plan.cases.empty()) unplanned.push_back(entry.name);
    const auto reached = tags_of(operation, plan.cases);
    for (const std::string& tag : plan.wanted)
      EXPECT_TRUE(reached.contains(tag)) << entry.name << ": " << tag;
    EXPECT_LE(plan.cases.size(), 10u) << entry.name;
    for (const Case& test_case : plan.cases) {
      EXPECT_FALSE(entry.unmet_requirement(test_case.dims)) << to_line(test_case);
      operation.check_case(test_case);
      if (!is_large(operation.declaration(), test_case.dims)) continue;
      EXPECT_TRUE(Share::of(entry, operation, test_case.dims)) << to_line(test_case);
    }
  }
  EXPECT_THAT(unplanned, ::testing::ElementsAre("marlin_gemm_fp4_striped", "marlin_zero_reduction"))
      << "they have long sizes in place of samples";
}

// What CaseSpace::draw_huge leaves to plans: each row and column number goes past 16 bits.
TEST(WidthPlan, TakesRowsAndColumnsPastSixteenBits) {
  std::size_t sizes = 0;
  for (const KernelEntry& entry : testing::our_kernels()) {
    const Operation& operation = find_operation(entry.operation);
    if (!operation.declaration().has_plain_tensors()) continue;
    const auto& all = operation.declaration().dimensions;
    const bool sums = std::any_of(all.begin(), all.end(), [](const Dimension& one) { return one.reduced; });
    if (!sums) continue;  // those of weights alone are drawn (docs/cases.md)
    const CaseSpace space = operation.cases(traits_of(entry));
    const WidthPlan plan = plan_widths(entry, operation, 8 * kGiB);
    for (const Dimension& one : operation.declaration().dimensions) {
      if (one.is_choice() || one.reduced || !one.huge || space.largest(one.name) <= 65'536) continue;
      ++sizes;
      EXPECT_TRUE(std::any_of(plan.cases.begin(), plan.cases.end(),
                              [&](const Case& test_case) { return dim(test_case.dims, one.name) > 65'536; }))
          << entry.name << ": " << one.name;
    }
  }
  EXPECT_GT(sizes, 20u);
}

TEST(LongSizes, AreMorePiecesOfWorkThanSixteenBitsCount) {
  std::size_t kernels = 0;
  for (const KernelEntry& entry : testing::our_kernels()) {
    const Operation& operation = find_operation(entry.operation);
    const WidthPlan plan = plan_long_sizes(entry, operation);
    EXPECT_EQ(plan.cases.empty(), !operation.declaration().long_sizes) << entry.name;
    if (find_named(operation.declaration().dimensions, "parallel") == nullptr) continue;
    ++kernels;
    EXPECT_TRUE(std::any_of(plan.cases.begin(), plan.cases.end(), [](const Case& test_case) {
      const auto tiles = [&](const char* name) { return (dim(test_case.dims, name) + 63) / 64; };
      return tiles("M") * tiles("N") * dim(test_case.dims, "parallel") > 65'536;
    })) << entry.name;
  }
  EXPECT_EQ(kernels, 2u);
}

TEST(WidthPlan, GoesPastTwoToThe31BytesOfEachMatrix) {
  const KernelEntry entry = testing::gemm_entry("\"tiles\"");
  const auto plan = plan_widths(entry, find_operation("gemm_fp4"), 8 * kGiB);
  for (const char* tag : {"byte of A past 2^31", "byte of B past 2^31", "byte of C past 2^31",
                          "byte of scales past 2^31", "offset of A past 2^24", "offset of C past 2^15"}) {
    EXPECT_NE(std::find(plan.wanted.begin(), plan.wanted.end(), tag), plan.wanted.end()) << tag;
  }
}

// Guards against `int(batch) * int(stride)`: of halves, 2^31 elements are more than 32 bits of bytes.
TEST(WidthPlan, GoesPastTwoToThe31Elements) {
  const KernelEntry entry = testing::gemm_entry("\"tiles\"");
  const auto plan = plan_widths(entry, find_operation("gemm_fp4"), 8 * kGiB);
  for (const char* tag : {"offset of A past 2^31", "offset of C past 2^31", "byte of A past 2^32"})
    EXPECT_NE(std::find(plan.wanted.begin(), plan.wanted.end(), tag), plan.wanted.end()) << tag;
  EXPECT_TRUE(plan.dear.empty());
}

// The outputs of a stack of products are fewer than their factors, unless sums are short.
TEST(WidthPlan, TakesStacksOfProductsPastTwoToThe31Elements) {
  const auto entry =
      parse_manifest(
          "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"a\", \"b\", \"c\"]\n"
          "threads_per_threadgroup = 128\ngrid = [\"ceil(N/32)\", \"ceil(M/32)\", \"B\"]\ndimensions = [\n"
          "  { name = \"B\", independent = true }, { name = \"M\", independent = true },\n"
          "  { name = \"N\", independent = true }, { name = \"K\", reduced = true }]\ntensors = [\n"
          "  { name = \"a\", type = \"half\", shape = [\"B\", \"M\", \"K\"] },\n"
          "  { name = \"b\", type = \"half\", shape = [\"B\", \"K\", \"N\"] },\n"
          "  { name = \"c\", type = \"half\", shape = [\"B\", \"M\", \"N\"], access = \"out\" }]\n",
          "k.toml")
          .front();
  const WidthPlan plan = plan_widths(entry, operation_of(entry), 8 * kGiB);
  for (const char* tag : {"offset of a past 2^31", "offset of b past 2^31", "offset of c past 2^31"})
    EXPECT_NE(std::find(plan.wanted.begin(), plan.wanted.end(), tag), plan.wanted.end()) << tag;
}

// Guards against sizes beside the long one that are smaller than any legal one: no case came of them.
TEST(WidthPlan, KeepsOtherSizesAtTheirLeast) {
  const auto entry = parse_manifest(
                         "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"x\", \"y\"]\n"
                         "threads_per_threadgroup = 64\ngrid = [\"M\", 1, 1]\ndimensions = [\n"
                         "  { name = \"M\", independent = true }, { name = \"K\", least = 512, multiple = "
                         "64, reduced = true }]\n"
                         "tensors = [{ name = \"x\", type = \"half\", shape = [\"M\", \"K\"] },\n"
                         "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" }]\n",
                         "k.toml")
                         .front();
  const WidthPlan plan = plan_widths(entry, operation_of(entry), 8 * kGiB);
  EXPECT_TRUE(std::any_of(plan.cases.begin(), plan.cases.end(),
                          [](const Case& one) { return dim(one.dims, "M") > 65'536; }));
}

// Requirements and the device excuse what they make impossible, and nothing else does.
TEST(WidthPlan, WantsWhatTheKernelTakes) {
  const auto wanted = [](const std::string& requires_, std::size_t largest_buffer) {
    const KernelEntry entry = testing::gemm_entry("\"tiles\"", requires_);
    const auto plan = plan_widths(entry, find_operation("gemm_fp4"), largest_buffer);
    return std::set<std::string>(plan.wanted.begin(), plan.wanted.end());
  };
  const auto small_device = wanted("", kGiB);
  EXPECT_FALSE(small_device.contains("byte of C past 2^31"));
  EXPECT_TRUE(small_device.contains("offset of C past 2^24"));
  const auto narrow = wanted("requires = { M_max = 8, N_max = 512 }\n", 8 * kGiB);
  EXPECT_FALSE(narrow.contains("offset of C past 2^15"));
  EXPECT_TRUE(narrow.contains("offset of C past 2^8"));
}

// A kernel that could go past a width, but at a price that no run pays, is not green for it.
TEST(WidthPlan, WantsWhatNoCaseReaches) {
  for (KernelEntry entry : testing::our_kernels()) {
    if (entry.name != "dequant_trellis") continue;
    entry.requirements.clear();
    const Operation& operation = find_operation(entry.operation);
    const WidthPlan plan = plan_widths(entry, operation, 8 * kGiB);
    EXPECT_TRUE(tags_of(operation, plan.cases).contains("offset of su past 2^24"))
        << "nothing is summed over K here";
  }
  for (KernelEntry entry : testing::our_kernels()) {
    if (entry.name != "gemm_trellis_packed") continue;
    entry.requirements.clear();
    const Operation& operation = find_operation(entry.operation);
    const WidthPlan plan = plan_widths(entry, operation, 8 * kGiB);
    EXPECT_NE(std::find(plan.wanted.begin(), plan.wanted.end(), "offset of su past 2^24"), plan.wanted.end());
    EXPECT_FALSE(tags_of(operation, plan.cases).contains("offset of su past 2^24"));
    EXPECT_EQ(plan.dear.at("offset of su past 2^24").dimension, "K");
    EXPECT_GT(plan.dear.at("offset of su past 2^24").size, 1 << 24);
  }
}

// K must be a multiple of 64: that is asked on the way to the size, too.
TEST(WidthPlan, AsksShapesAtSizesThatTheKernelTakes) {
  const auto entry =
      parse_manifest(
          "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\narguments = [\"w\", \"y\", \"K\"]\n"
          "threads_per_threadgroup = 64\ngrid = [\"M\", 1, 1]\nrequires = { M_max = 16, K_max = 10000 }\n"
          "dimensions = [{ name = \"M\", independent = true }, { name = \"K\", multiple = 64 }]\n"
          "tensors = [{ name = \"w\", type = \"uint\", shape = [\"M\", \"K/8\"] },\n"
          "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" }]\n",
          "k.toml")
          .front();
  const WidthPlan plan = plan_widths(entry, operation_of(entry), 8 * kGiB);
  EXPECT_FALSE(plan.cases.empty());
  for (const Case& one : plan.cases) EXPECT_EQ(dim(one.dims, "K") % 64, 0);
}

}  // namespace
}  // namespace assay::properties
