#include "cli/mutation_run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

#include "cli/batches.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/mutate/source_lines.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Mutants that are compiled together: more share the cost of a compiler's start, fewer spread more evenly.
constexpr std::size_t kBatch = 16;

// Results of one kernel under one set of options, a line each, as they come.
class Journal {
 public:
  Journal(const MutatedKernel& kernel, const MutateOptions& options) {
    // Whatever a verdict depends on: this program, the manifest, the text, the cases.
    const auto& entry = *kernel.entry;
    const auto key = metal::content_hash(
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", metal::content_hash(metal::content_of("/proc/self/exe")),
                    metal::content_of(entry.manifest), entry.name, kernel.text, options.cases, options.seed));
    const auto directory = metal::toolchain().cache / "mutation";
    std::error_code failed;
    fs::create_directories(directory, failed);
    path_ = directory / (key + ".jsonl");
    if (options.fresh) fs::remove(path_, failed);
  }

  std::map<std::size_t, MutantResult> read() const {
    std::map<std::size_t, MutantResult> known;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) {
      try {
        const auto result = mutant_result_from_json(nlohmann::json::parse(line));
        known[result.index] = result;
      } catch (const std::exception&) {
        continue;  // cut short when the run was stopped
      }
    }
    return known;
  }

  void add(const MutantResult& result) {
    if (!out_.is_open()) {
      out_.open(path_, std::ios::app);
      out_ << '\n';  // ends a line that was cut short
    }
    out_ << to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
    if (!out_) throw metal::ToolchainError(fmt::format("cannot write {}; make room", path_.string()));
  }

 private:
  fs::path path_;
  std::ofstream out_;
};

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

double children_time() {
  rusage own{}, used{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The mutants that the first cases let live, by all that is left.
void judge_alive(MutatedKernel& kernel, const std::map<std::size_t, MutantResult>& alive, unsigned jobs,
                 const std::function<void(const MutantResult&)>& add) {
  prepare_rest(kernel);
  std::vector<std::size_t> open;
  for (const auto& [index, result] : alive) open.push_back(index);
  const auto rest = [&](const Batch& batch, const Reporter& reporter) {
    judge_rest(kernel, batch, reporter);
  };
  // Each takes seconds: the cores share them evenly.
  const auto size = std::clamp<std::size_t>(open.size() / (2 * std::max(1u, jobs)), 1, kBatch);
  Batches(jobs, rest, [&](const nlohmann::json& message) {
    auto result = mutant_result_from_json(message);
    result.criteria = alive.at(result.index).criteria;
    add(result);
  }).run(in_batches(open, size));
}

}  // namespace

KernelMutants mutate_kernel(const verify::KernelEntry& entry, const MutateOptions& options,
                            const Equivalents& equivalents,
                            const std::function<void(std::size_t, std::size_t)>& step) {
  KernelMutants mutants;
  const auto start = std::chrono::steady_clock::now();
  const double used = children_time();
  try {
    mutants.kernel = read_kernel(entry);
    auto& kernel = mutants.kernel;
    mutate::SourceLines lines(kernel.tokens);
    for (const auto& mutation : kernel.mutations) {
      kernel.explained.push_back(equivalents.knows(entry.name, lines.of(mutation)));
    }
    Journal journal(kernel, options);
    auto known = journal.read();
    const auto chosen = chosen_mutants(kernel.mutations.size(), options);
    std::vector<std::size_t> open;
    for (const auto index : chosen) {
      const auto found = known.find(index);
      // One that was explained, and is no longer, has not met all cases.
      if (found != known.end() && (found->second.whole || kernel.explained[index])) {
        mutants.results.push_back(found->second);
        continue;
      }
      open.push_back(index);
    }
    mutants.resumed = mutants.results.size();
    if (!open.empty()) {
      prepare_first(kernel, options.cases, options.seed);
      step(mutants.results.size(), chosen.size());
      const auto add = [&](const MutantResult& result) {
        journal.add(result);
        mutants.results.push_back(result);
        step(mutants.results.size(), chosen.size());
      };
      std::map<std::size_t, MutantResult> alive;
      const auto first = [&](const Batch& batch, const Reporter& reporter) {
        judge_first(kernel, batch, reporter);
      };
      Batches(options.jobs, first, [&](const nlohmann::json& message) {
        const auto result = mutant_result_from_json(message);
        const bool goes_on = !result.whole && !kernel.explained[result.index];
        goes_on ? void(alive[result.index] = result) : add(result);
      }).run(in_batches(open, kBatch));
      if (!alive.empty()) judge_alive(kernel, alive, options.jobs, add);
    }
  } catch (const std::exception& error) {
    mutants.error = error.what();
  }
  mutants.kernel.cases.clear();
  std::sort(mutants.results.begin(), mutants.results.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  mutants.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  mutants.core_seconds = children_time() - used;
  return mutants;
}

}  // namespace assay::cli
