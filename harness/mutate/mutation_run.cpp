#include "harness/mutate/mutation_run.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "harness/mutate/mutation_journal.hpp"
#include "harness/mutate/source_lines.hpp"
#include "harness/process/batches.hpp"

namespace assay::mutate {
namespace {

/// Mutants that are compiled together: more share the cost of a compiler's start, fewer spread more evenly.
constexpr std::size_t kMutantsOfBatch = 32;

// By all shards together.
std::vector<std::size_t> chosen_mutants(std::size_t count, const MutateOptions& options) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (options.sample == 0 || options.sample >= count) return all;
  std::mt19937_64 random(options.seed);
  for (std::size_t i = 0; i < options.sample; ++i) {
    std::swap(all[i], all[i + random() % (count - i)]);
  }
  all.resize(options.sample);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::size_t> of_shard(const std::vector<std::size_t>& chosen, const Shard& shard) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (shard.takes(i)) own.push_back(chosen[i]);
  }
  return own;
}

}  // namespace

void judge_mutants(const KernelEntry& entry, const MutateOptions& options, const Equivalents& equivalents,
                   const process::Slots& slots, const Step& step) {
  auto kernel = read_kernel(entry);
  mutate::SourceLines lines(kernel.tokens);
  for (const auto& mutation : kernel.mutations) {
    kernel.explained.push_back(equivalents.knows(entry.name, lines.of(mutation)));
  }
  MutationJournal journal(kernel, options.cases, options.seed, options.shard);
  if (options.fresh) journal.clear();
  const auto known = journal.read();
  const auto chosen = of_shard(chosen_mutants(kernel.mutations.size(), options), options.shard);
  std::vector<std::size_t> open;
  for (const auto index : chosen) {
    const auto found = known.find(index);
    // One that was explained, and is no longer, has not met all cases.
    const bool settled = found != known.end() && (found->second.whole || kernel.explained[index]);
    if (!settled) open.push_back(index);
  }
  std::size_t done = chosen.size() - open.size();
  step(done, chosen.size());
  if (open.empty()) return;
  prepare(kernel, options.cases, options.seed, slots);
  const auto work = [&](const process::Batch& batch, const process::Reporter& reporter) {
    judge_batch(kernel, batch, reporter);
  };
  process::run_in_batches(slots, open, kMutantsOfBatch, work, [&](const nlohmann::json& message) {
    journal.add(mutant_result_from_json(message));
    step(++done, chosen.size());
  });
}

KernelMutants read_mutants(const KernelEntry& entry, const MutateOptions& options) {
  KernelMutants mutants;
  mutants.kernel = read_kernel(entry);
  const auto known = MutationJournal(mutants.kernel, options.cases, options.seed, options.shard).read();
  const auto chosen = chosen_mutants(mutants.kernel.mutations.size(), options);
  mutants.chosen = chosen.size();
  for (const auto index : of_shard(chosen, options.shard)) {
    const auto found = known.find(index);
    if (found != known.end())
      mutants.results.push_back(found->second);
    else
      ++mutants.open;
  }
  return mutants;
}

}  // namespace assay::mutate
