#include "cli/mutation_run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

#include "harness/metal/errors.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/mutate/source_lines.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Mutants that are compiled together; more share the cost of a compiler's start, fewer spread more evenly.
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

// Runs batches, `jobs` at a time; hands every result to `take`. A process that dies leaves its batch to be
// judged one by one, and a mutant that takes its process down alone to an error.
class Workers {
 public:
  Workers(const MutatedKernel& kernel, unsigned jobs, std::function<void(const MutantResult&)> take)
      : kernel_(kernel), jobs_(std::max(1u, jobs)), take_(std::move(take)) {}

  void run(std::vector<std::vector<std::size_t>> batches) {
    waiting_ = std::move(batches);
    std::reverse(waiting_.begin(), waiting_.end());
    while (!waiting_.empty() || !running_.empty()) {
      while (!waiting_.empty() && running_.size() < jobs_) start();
      std::vector<pollfd> polled;
      for (const auto& worker : running_) polled.push_back({worker.child->fd(), POLLIN, 0});
      poll(polled.data(), polled.size(), 1000);
      for (std::size_t i = running_.size(); i-- > 0;) {
        if (listen(running_[i])) running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

 private:
  struct Worker {
    std::vector<std::size_t> open;  // not yet judged
    std::unique_ptr<Child> child;
  };

  void start() {
    Worker worker{std::move(waiting_.back()), nullptr};
    waiting_.pop_back();
    worker.child = std::make_unique<Child>(
        [&](const Reporter& reporter) { judge_batch(kernel_, worker.open, reporter); });
    running_.push_back(std::move(worker));
  }

  bool listen(Worker& worker) {
    const bool open = worker.child->receive();
    std::string why;
    while (const auto message = worker.child->next()) {
      if (message->value("type", "") == "failed") why = message->value("what", "");
      if (message->value("type", "") != "mutant") continue;
      const auto result = mutant_result_from_json(*message);
      std::erase(worker.open, result.index);
      take_(result);
    }
    if (open) return false;
    const auto death = worker.child->join();
    if (worker.open.empty()) return true;
    if (worker.open.size() == 1) {
      throw std::runtime_error(fmt::format("mutant {} could not be judged: {}", worker.open[0],
                                           !why.empty() ? why
                                           : death      ? death->describe()
                                                        : "no reason"));
    }
    for (const auto index : worker.open) waiting_.push_back({index});
    return true;
  }

  const MutatedKernel& kernel_;
  unsigned jobs_;
  std::function<void(const MutantResult&)> take_;
  std::vector<std::vector<std::size_t>> waiting_;
  std::vector<Worker> running_;
};

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
    std::vector<std::vector<std::size_t>> batches;
    for (const auto index : chosen) {
      const auto found = known.find(index);
      // One that was explained, and is no longer, has not met all cases.
      if (found != known.end() && (found->second.whole || kernel.explained[index])) {
        mutants.results.push_back(found->second);
        continue;
      }
      if (batches.empty() || batches.back().size() == kBatch) batches.emplace_back();
      batches.back().push_back(index);
    }
    mutants.resumed = mutants.results.size();
    if (!batches.empty()) {
      prepare_cases(kernel, options.cases, options.seed);
      step(mutants.results.size(), chosen.size());
      Workers(kernel, options.jobs, [&](const MutantResult& result) {
        journal.add(result);
        mutants.results.push_back(result);
        step(mutants.results.size(), chosen.size());
      }).run(std::move(batches));
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
