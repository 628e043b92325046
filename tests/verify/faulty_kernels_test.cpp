// Manifest to verdict without a GPU: host-side stand-ins for a small product, right and wrong in the ways
// that the harness is there to see, run on the guarded in-memory device.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/guarded_device.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/manifest.hpp"
#include "harness/verify/report.hpp"
#include "harness/verify/run_problem.hpp"
#include "tests/device/memory_device.hpp"

namespace assay {
namespace {

using device::MemoryDevice;
using device::MemoryLaunch;

constexpr std::int64_t kM = 5, kN = 9, kK = 4;

KernelEntry entry() {
  return parse_manifest(R"toml([[kernel]]
name = "product"
source = "product.metal"
operation = "product"
arguments = ["C", "MNK", "B", "A"]
threads_per_threadgroup = 32
tile = { m = 4, n = 4, k = 4 }
grid = "tiles"
)toml",
                        "kernels.toml")
      .at(0);
}

Problem problem() {
  Problem p{"product",
            {{"M", kM}, {"N", kN}, {"K", kK}},
            {make_tensor("A", DType::f32, {kM, kK}), make_tensor("B", DType::f32, {kK, kN})},
            {{"C", DType::f32, {kM, kN}}}};
  for (Tensor& t : p.inputs) {
    float next = 1;
    for (float& x : t.as<float>()) x = next++;
  }
  return p;
}

Expectation expectation(const Problem& p) {
  Expectation e{"C", std::vector<double>(kM * kN), {}, {}, false, "exact sums"};
  const auto a = p.inputs[0].as<float>(), b = p.inputs[1].as<float>();
  for (std::size_t m = 0; m < kM; ++m) {
    for (std::size_t n = 0; n < kN; ++n) {
      for (std::size_t k = 0; k < kK; ++k)
        e.value[m * kN + n] += static_cast<double>(a[m * kK + k] * b[k * kN + n]);
    }
  }
  e.low = e.high = e.value;
  return e;
}

/// C = A B in the columns before `end_column`, added to what C holds where `accumulate`.
void product(MemoryLaunch& launch, std::size_t end_column = kN, bool accumulate = false) {
  struct {
    std::uint32_t m, n, k;
  } size = launch.value<decltype(size)>(1);
  float* c = launch.pointer<float>(0);
  const float *b = launch.pointer<float>(2), *a = launch.pointer<float>(3);
  for (std::size_t m = 0; m < size.m; ++m) {
    for (std::size_t n = 0; n < end_column; ++n) {
      float sum = accumulate ? c[m * size.n + n] : 0.0f;
      for (std::size_t k = 0; k < size.k; ++k) sum += a[m * size.k + k] * b[k * size.n + n];
      c[m * size.n + n] = sum;
    }
  }
}

struct Judged {
  Evidence evidence;
  Outcome outcome;
};

/// Two runs on fresh memory with different garbage in it, as a verification does.
Judged verify(const MemoryDevice::Kernel& kernel) {
  MemoryDevice memory;
  memory.add("product", kernel);
  const Problem p = problem();
  const auto once = [&](std::uint16_t poison) {
    device::GuardedDevice guarded(memory, {.poison = poison});
    return run_problem(guarded, guarded.load(entry().kernel_source()), entry(), p);
  };
  const RunResult first = once(device::kPoison), second = once(device::kSecondPoison);
  EXPECT_EQ(memory.live_buffers(), 0u);
  Judged judged;
  judged.evidence = {first.report,
                     {compare(first.outputs.at(0), expectation(p))},
                     compare_bits(first.outputs, second.outputs),
                     first.changed_inputs};
  judged.outcome = judge(judged.evidence);
  return judged;
}

TEST(FaultyKernels, RightKernelPasses) {
  const Judged judged = verify([](MemoryLaunch& l) { product(l); });
  EXPECT_EQ(judged.outcome.verdict, Verdict::pass) << judged.outcome.summary;
}

TEST(FaultyKernels, KernelThatDoesNothing) {
  const Judged judged = verify([](MemoryLaunch&) {});
  EXPECT_EQ(judged.outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(judged.evidence.comparisons.at(0).never_written, std::size_t{kM * kN});
}

TEST(FaultyKernels, LastColumnNeverFilled) {
  const Judged judged = verify([](MemoryLaunch& l) { product(l, kN - 1); });
  EXPECT_EQ(judged.outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(judged.evidence.comparisons.at(0).wrong_columns(), std::vector<std::size_t>{kN - 1});
  EXPECT_EQ(judged.evidence.comparisons.at(0).never_written, std::size_t{kM});
}

TEST(FaultyKernels, WriteOnePastTheOutput) {
  const Judged judged = verify([](MemoryLaunch& l) {
    product(l);
    l.pointer<float>(0)[kM * kN] = 1.0f;
  });
  EXPECT_EQ(judged.outcome.verdict, Verdict::out_of_bounds);
  EXPECT_EQ(judged.outcome.summary,
            "the kernel wrote 4 bytes past the end of argument 0 (180 bytes), the first at byte 180");
}

TEST(FaultyKernels, WhatTheOutputHeldIsAddedIn) {
  EXPECT_EQ(verify([](MemoryLaunch& l) { product(l, kN, true); }).outcome.verdict, Verdict::wrong_result);
}

TEST(FaultyKernels, GarbageThatOnlyTheSecondPoisonShows) {
  const Judged judged = verify([](MemoryLaunch& l) {
    const float garbage = l.pointer<float>(0)[7];
    product(l);
    if (garbage > 0) l.pointer<float>(0)[3] += 1;  // false for NaN
  });
  EXPECT_EQ(judged.outcome.verdict, Verdict::wrong_result);
  EXPECT_TRUE(judged.evidence.comparisons.at(0).right());
  EXPECT_EQ(judged.outcome.summary.rfind("a second run gives other results: 1 of 45", 0), 0u)
      << judged.outcome.summary;
}

TEST(FaultyKernels, InputUsedAsScratch) {
  const Judged judged = verify([](MemoryLaunch& l) {
    product(l);
    l.pointer<float>(3)[0] = 0;
  });
  EXPECT_EQ(judged.outcome.summary, "the kernel wrote to its input A");
}

TEST(FaultyKernels, ReportDrawsTheWrongColumnOfTheTile) {
  const Judged judged = verify([](MemoryLaunch& l) { product(l, kN - 1); });
  const KernelEntry e = entry();
  const Problem p = problem();
  const std::string text = failure_text({e, p.dims, "assay replay product", judged.evidence, judged.outcome});
  EXPECT_NE(text.find("|....|....|?|\n"), std::string::npos) << text;
  EXPECT_NE(text.find("columns 8 (1 of 9)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay
