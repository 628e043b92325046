// A mutant's verdict follows from kernel, mutant, cases and seed, not from the mutants that it is judged
// with.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "harness/metal/compile/variants.hpp"
#include "harness/mutate/mutant_judge.hpp"
#include "harness/mutate/source_lines.hpp"
#include "harness/process/batches.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {
namespace {

// So many mutants of each kernel; 200 in all. Those of the largest are two tests, which run side by side.
struct Drawn {
  std::string kernel;
  std::size_t count;
  unsigned seed = 1;
};
const std::vector<Drawn> kDrawn = {{"marlin_gemm_fused_fp4", 10},
                                   {"marlin_gemm_fused_fp4", 10, 2},
                                   {"dequant_fp4", 30},
                                   {"dequant_u4", 30},
                                   {"dequant_s4", 30},
                                   {"dequant_u4_float", 30},
                                   {"dequant_trellis", 20},
                                   {"rans_decode", 20},
                                   {"marlin_zero_reduction", 20}};
void PrintTo(const Drawn& drawn, std::ostream* out) { *out << drawn.count; }

// Fewer than users get: what survives the first 30 takes the longest, and this test judges it three times.
constexpr std::uint64_t kCases = 40;

// By mutant: what became of it, for whoever reads the difference of two tables.
using Table = std::map<std::size_t, std::string>;

Table judged(mutate::MutatedKernel& kernel, const std::vector<std::size_t>& chosen, std::size_t batch) {
  const process::Slots slots(1);  // the tests themselves run in parallel
  Table table;
  const auto work = [&](const process::Batch& some, const process::Reporter& reporter) {
    mutate::judge_batch(kernel, some, reporter);
  };
  process::run_in_batches(slots, chosen, batch, work, [&](const nlohmann::json& message) {
    const auto result = mutate::mutant_result_from_json(message);
    table[result.index] = fmt::format("{} {} {} {} {}", name_of(result.status), result.verdict, result.mode,
                                      result.case_, nlohmann::json(result.criteria).dump());
  });
  return table;
}

std::vector<KernelEntry> our_kernels() {
  return run::load_manifest((std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels/kernels.toml").string());
}

// `first / 8` to `first % 8`, where `first` is 0: the same code, which a compiler does not show in any
// company.
bool is_told_by_the_compiler_alone(mutate::SourceLines& lines, const mutate::Mutation& mutation) {
  const auto changed = lines.of(mutation);
  return changed.after.size() == 1 && changed.after[0].find("[first % 8 + n]") != std::string::npos;
}

class Verdicts : public testing::TestWithParam<Drawn> {};

TEST_P(Verdicts, DoNotDependOnTheBatch) {
  const auto entries = our_kernels();
  auto kernel = mutate::read_kernel(*run::choose(entries, {GetParam().kernel}).at(0));
  kernel.explained.resize(kernel.mutations.size());
  mutate::prepare(kernel, kCases, 1, process::Slots(1));

  std::set<std::size_t> drawn;
  mutate::SourceLines lines(kernel.tokens);
  for (std::size_t i = 0; i < kernel.mutations.size(); ++i) {
    if (is_told_by_the_compiler_alone(lines, kernel.mutations[i])) drawn.insert(i);
  }
  ASSERT_EQ(drawn.size(), GetParam().kernel == "marlin_gemm_fused_fp4" ? 1u : 0u);
  std::mt19937_64 random(GetParam().seed);
  while (drawn.size() < GetParam().count) drawn.insert(random() % kernel.mutations.size());

  const std::vector<std::size_t> chosen(drawn.begin(), drawn.end());
  const auto alone = judged(kernel, chosen, 1);
  EXPECT_EQ(alone.size(), GetParam().count);
  for (const std::size_t batch : {7, 32}) {
    // In another order, too: those that share a batch are others each time.
    auto shuffled = chosen;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    EXPECT_EQ(judged(kernel, shuffled, batch), alone) << "in batches of " << batch;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Verdicts, testing::ValuesIn(kDrawn), [](const auto& info) {
  return fmt::format("{}_{}", info.param.kernel, info.param.seed);
});

TEST(MutantsInBatches, AreTwoHundred) {
  std::size_t count = 0;
  for (const auto& drawn : kDrawn) count += drawn.count;
  EXPECT_GE(count, 200u);
}

}  // namespace
}  // namespace assay::cli
