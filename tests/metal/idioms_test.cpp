// Single idioms of Metal sources: what each gives when it runs.
#include <bit>

#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class Idioms : public BothModes {};
ASSAY_ALL_WAYS(Idioms);

KernelRun names(const std::string& function) {
  KernelRun kernel(source_path("names.metal"), function);
  kernel.include(source_path("include"));
  return kernel;
}

TEST_P(Idioms, ThreadgroupDeclarationsOfEveryShape) {
  KernelRun kernel(source_path("threadgroup_memory.metal"), "declarations");
  kernel.buffer(0, std::vector<std::uint32_t>(18)).grid({1, 1, 1}, {8, 1, 1});
  EXPECT_EQ(
      run_clean(kernel).values<std::uint32_t>(0),
      (std::vector<std::uint32_t>{28, 107, 10 + 17, 14, 21, 8, 31, 28, 7, 35, 8, 28, 4, 17, 7, 40, 50, 51}));
}

TEST_P(Idioms, FunctionsOfOneNameAsArgumentsOfTemplates) {
  const auto run = [](const std::string& function) {
    KernelRun kernel(source_path("corpus/dispatched.metal"), function);
    kernel.buffer(0, std::vector<float>(4))
        .buffer(1, std::vector<std::int32_t>{5})
        .grid({1, 1, 1}, {1, 1, 1});
    return run_clean(kernel).values<float>(0);
  };
  EXPECT_EQ(run("run_scaled"), std::vector<float>(4, 10));
  EXPECT_EQ(run("run_measured"), std::vector<float>(4, 8));
}

// Metal has no double, in a template either: 26 tenths are another float as a double.
TEST_P(Idioms, RealNumbersInTemplatesAreFloats) {
  KernelRun kernel(source_path("corpus/dispatched.metal"), "tenths");
  kernel.buffer(0, std::vector<float>(3)).buffer(1, std::vector<float>{26, 4}).grid({1, 1, 1}, {1, 1, 1});
  const auto out = run_clean(kernel).values<float>(0);
  EXPECT_EQ(out[0], out[2]);
  EXPECT_EQ(out[1], 0.25F);
}

TEST_P(Idioms, UnnumberedThreadgroupArguments) {
  KernelRun kernel(source_path("threadgroup_memory.metal"), "reverse");
  kernel.buffer(0, std::vector<float>{1, 2, 3, 4}).threadgroup_bytes({16, 16}).grid({1, 1, 1}, {4, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(0), (std::vector<float>{1004, 2003, 3002, 4001}));
}

// Guards against moves of the host's processor that insist on a vector's own alignment.
TEST_P(Idioms, VectorsAtAnyAddressThatSuitsTheirElements) {
  std::vector<std::uint32_t> words(33), expected(33);
  for (std::uint32_t i = 0; i < 33; ++i) words[i] = expected[i] = 1000 * i + 17;
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    for (std::uint32_t i = 1; i < 5; ++i) {
      expected[4 * lane + i] = 2 * words[4 * (7 - lane) + i] ^ words[4 * lane + i];
    }
  }
  std::vector<Half> halves(37), sums(37);
  for (int i = 0; i < 37; ++i) halves[static_cast<std::size_t>(i)] = static_cast<Half>(i);
  sums = halves;
  for (std::size_t i = 1; i < 33; ++i) sums[i] = static_cast<Half>(2 * i + 35 + (i - 1) % 2);
  KernelRun kernel(source_path("unaligned_vectors.metal"), "unaligned");
  kernel.buffer(0, words).buffer(1, halves).grid({1, 1, 1}, {8, 1, 1});
  const auto finished = run_clean(kernel);
  EXPECT_EQ(finished.values<std::uint32_t>(0), expected);
  EXPECT_TRUE(finished.values<Half>(1) == sums);
}

TEST_P(Idioms, OverloadsAndMethodsByAddressSpace) {
  KernelRun kernel(source_path("address_spaces.metal"), "spaces");
  kernel.buffer(0, std::vector<float>(6)).buffer(1, std::vector<float>{3, 2}).buffer(2, std::vector<int>{5});
  kernel.value(3, std::pair<float, float>{30, 1}).grid({1, 1, 1}, {4, 1, 1});
  const float pair = 4.5f + 2.5f, both = 17, own = 1 + 7, fixed = 31, table = 23;
  EXPECT_EQ(run_clean(kernel).values<float>(0),
            (std::vector<float>{1 + 2 + 3 + 8, 7, 15, 6, pair + both + own + fixed + table, 2 * 8}));
}

TEST_P(Idioms, KernelsByAnyName) {
  const std::map<std::string, int> expected = {
      {"declared_first", 21}, {"shallow", 10},       {"unnamed", 11},       {"joined", 44},
      {"c_linkage", 33},      {"marked_static", 34}, {"calls_another", 42}, {"outer::shallow", 10}};
  for (const auto& [name, value] : expected) {
    auto kernel = names(name);
    kernel.buffer(0, std::vector<int>(1));
    EXPECT_EQ(run_clean(kernel).values<int>(0), std::vector<int>{value}) << name;
  }
  auto macro = names("compute_sub");
  macro.buffer(0, std::vector<int>{9, 8}).buffer(1, std::vector<int>{1, 5}).grid({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(run_clean(macro).values<int>(0), (std::vector<int>{8, 3}));
}

// Functions of Metal's library on scalars are constant expressions: nothing may run while the module is
// loaded.
TEST_P(Idioms, ConstantsThatTheCompilerComputes) {
  KernelRun kernel(source_path("computed_constants.metal"), "computed");
  kernel.buffer(0, std::vector<float>(5));
  EXPECT_EQ(run_clean(kernel).values<float>(0),
            (std::vector<float>{1.41421356f * 0.5f, 2, 4, 8, 3.0f / 5.0f}));
}

TEST_P(Idioms, IndicesFromEnumeratorsOfTheNamespace) {
  auto kernel = names("nested");
  kernel.buffer(3, std::vector<int>(1)).value(6, 20);
  EXPECT_EQ(run_clean(kernel).values<int>(3), std::vector<int>{25});
}

TEST_P(Idioms, UnnumberedBuffersFillTheGaps) {
  auto kernel = names("mixed_indices");
  kernel.buffer(1, std::vector<int>(1)).value(2, 1).value(0, 2).value(3, 3);
  EXPECT_EQ(run_clean(kernel).values<int>(1), std::vector<int>{123});
}

TEST_P(Idioms, ConditionalParameters) {
  auto without = names("with_condition");
  without.buffer(0, std::vector<int>(1)).value(1, 6);
  EXPECT_EQ(run_clean(without).values<int>(0), std::vector<int>{6});
  auto with = names("with_condition");
  with.define("WITH_EXTRA", "1").buffer(0, std::vector<int>(1)).buffer(1, std::vector<int>{7}).value(2, 6);
  EXPECT_EQ(run_clean(with).values<int>(0), std::vector<int>{42});
}

TEST_P(Idioms, Literals) {
  auto kernel = names("literals");
  kernel.buffer(0, std::vector<Half>(7))
      .buffer(1, std::vector<float>(6))
      .buffer(2, std::vector<std::uint16_t>(3));
  const auto finished = run_clean(kernel);
  EXPECT_EQ(finished.values<std::uint16_t>(0),
            (std::vector<std::uint16_t>{0x3C00, 0x1419, 0x3000, 0x4000, 0x3800, 0x2E66, 0x3C01}));
  EXPECT_EQ(finished.values<float>(1), (std::vector<float>{1, 1, 3, 1000, 1, 31}));
  EXPECT_EQ(finished.values<std::uint16_t>(2), (std::vector<std::uint16_t>{0x3F80, 0x4000, 0x4040}));
}

TEST(IdiomModules, MaxThreadsAreKnown) {
  EXPECT_EQ(compile(names("calls_another").source(), Flavour::checked)->max_threads_per_threadgroup(), 96u);
  EXPECT_EQ(compile(names("declared_first").source(), Flavour::checked)->max_threads_per_threadgroup(), 0u);
  KernelRun marlin(source_path("int4_formats.metal"), "marlin_dequantize_128");
  EXPECT_EQ(compile(marlin.source(), Flavour::fast)->max_threads_per_threadgroup(), 128u);
}

struct Int4Arguments {
  std::uint32_t in, out;
  std::uint16_t group_size;
};

TEST_P(Idioms, GptqAwqAndMarlinNibbles) {
  constexpr std::uint32_t kIn = 32, kOut = 16, kGroup = 16;
  const auto words = whole_numbers<std::uint32_t>(kIn * kOut / 8, 0, 0x7fffffff, 4);
  const auto zeros = whole_numbers<std::uint32_t>(kIn / kGroup * kOut / 8, 0, 0x7fffffff, 5);
  const auto steps = whole_numbers<int>(kIn / kGroup * kOut, 1, 4, 6);
  const std::vector<Half> scales(steps.begin(), steps.end());
  const Int4Arguments arguments{kIn, kOut, kGroup};
  static const unsigned kAwq[8] = {0, 4, 1, 5, 2, 6, 3, 7};
  const auto expect = [&](const std::string& name, const std::vector<Half>& out, auto&& value) {
    for (std::uint32_t k = 0; k < kIn; ++k) {
      for (std::uint32_t n = 0; n < kOut; ++n) {
        const float scale = float(scales[k / kGroup * kOut + n]);
        ASSERT_EQ(float(out[k * kOut + n]), float(value(k, n)) * scale) << name << " " << k << " " << n;
      }
    }
  };
  KernelRun gptq(source_path("int4_formats.metal"), "gptq_dequantize");
  gptq.buffer(0, words)
      .buffer(1, zeros)
      .buffer(2, scales)
      .buffer(3, std::vector<Half>(kIn * kOut))
      .value(4, arguments);
  gptq.grid({2, 1, 1}, {8, 4, 1});
  expect("gptq", run_clean(gptq).values<Half>(3), [&](std::uint32_t k, std::uint32_t n) {
    return int(words[k / 8 * kOut + n] >> (k % 8 * 4) & 15) -
           int(zeros[k / kGroup * kOut / 8 + n / 8] >> (n % 8 * 4) & 15) - 1;
  });
  KernelRun awq(source_path("int4_formats.metal"), "awq_dequantize");
  awq.buffer(0, words)
      .buffer(1, zeros)
      .buffer(2, scales)
      .buffer(3, std::vector<Half>(kIn * kOut))
      .value(4, arguments);
  awq.grid({1, 4, 1}, {2, 8, 1});
  expect("awq", run_clean(awq).values<Half>(3), [&](std::uint32_t k, std::uint32_t n) {
    const unsigned shift = 4 * kAwq[n % 8];
    return int(words[k * kOut / 8 + n / 8] >> shift & 15) -
           int(zeros[k / kGroup * kOut / 8 + n / 8] >> shift & 15);
  });
  KernelRun marlin(source_path("int4_formats.metal"), "marlin_dequantize_64");
  marlin.buffer(0, words).buffer(1, scales).buffer(2, std::vector<Half>(kIn * kOut));
  marlin.value(3, std::array<std::uint32_t, 4>{kIn, kOut, kGroup, 0}).grid({1, 1, 1}, {64, 1, 1});
  expect("marlin", run_clean(marlin).values<Half>(2), [&](std::uint32_t k, std::uint32_t n) {
    return int(words[k / 8 * kOut + n] >> (k % 8 * 4) & 15) - 8;
  });
}

TEST_P(Idioms, Nf4TableInConstantSpace) {
  KernelRun kernel(source_path("int4_formats.metal"), "dequantize_blockwise_nf4");
  kernel.buffer(0, std::vector<std::uint8_t>{0x0F, 0x78})
      .buffer(1, std::vector<float>{2, 4})
      .buffer(2, std::vector<float>(4));
  kernel.value(3, std::uint32_t{2}).grid({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(2), (std::vector<float>{-2, 2, 0, 4 * 0.07958029955625534f}));
}

}  // namespace
}  // namespace assay::metal
