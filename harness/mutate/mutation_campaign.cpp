#include "harness/mutate/mutation_campaign.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include "harness/process/pool.hpp"

namespace assay::mutate {
namespace {

double processor_time() {
  rusage own{}, used{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(used.ru_utime) + seconds(used.ru_stime);
}

// In the child.
void judge_kernel(const KernelEntry& entry, const MutateOptions& options, const Equivalents& equivalents,
                  const process::Slots& slots, const process::Reporter& reporter) {
  nlohmann::json end = {{"error", ""}};
  const auto step = [&](std::size_t done, std::size_t all) { reporter.send({{"done", done}, {"all", all}}); };
  try {
    judge_mutants(entry, options, equivalents, slots, step);
  } catch (const std::exception& error) {
    end["error"] = error.what();
  }
  end["core_seconds"] = processor_time();
  reporter.send(end);
}

// Numbers of kernels, those with the longest texts first: they take longest, and what is begun last should
// not leave slots empty at the end.
std::vector<std::size_t> longest_first(const std::vector<const KernelEntry*>& entries) {
  std::vector<std::uintmax_t> bytes;
  for (const auto* entry : entries) {
    std::error_code absent;  // which the kernel's own process reports
    const auto size = std::filesystem::file_size(entry->source, absent);
    bytes.push_back(absent ? 0 : size);
  }
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  return order;
}

// How far each kernel is.
class StandingOfKernels {
 public:
  explicit StandingOfKernels(const std::vector<const KernelEntry*>& entries) : entries_(entries) {}

  void at(std::size_t which, std::size_t done, std::size_t all) {
    auto [one, fresh] = kernels_.try_emplace(which, Kernel{done, done, all, false});
    one->second.done = done;
    one->second.all = all;
  }
  void finished(std::size_t which) { kernels_[which].finished = true; }

  CampaignStanding standing() const {
    CampaignStanding now;
    now.of = entries_.size();
    for (const auto& [which, kernel] : kernels_) {
      now.kernels += kernel.finished;
      now.judged += kernel.done;
      now.resumed += kernel.resumed;
      now.known += kernel.all;
      if (kernel.finished) continue;
      now.current += fmt::format("{}{} {}/{}", now.current.empty() ? "" : ", ", entries_[which]->name,
                                 kernel.done, kernel.all);
    }
    // What earlier runs have judged takes no time now.
    const auto fresh = static_cast<double>(now.judged - now.resumed);
    const double all = static_cast<double>(now.known - now.resumed) * static_cast<double>(now.of) /
                       static_cast<double>(std::max<std::size_t>(1, kernels_.size()));
    now.share = all > 0 ? fresh / all : 0;
    return now;
  }

 private:
  struct Kernel {
    std::size_t done = 0, resumed = 0, all = 0;
    bool finished = false;
  };
  const std::vector<const KernelEntry*>& entries_;
  std::map<std::size_t, Kernel> kernels_;  // that are begun
};

// A kernel whose mutants are judged by a process of its own.
struct Progress {
  std::optional<std::size_t> resumed = {};
  nlohmann::json end = {};
};

}  // namespace

void mutate_kernels(const std::vector<const KernelEntry*>& entries, const MutateOptions& options,
                    const Equivalents& equivalents,
                    const std::function<void(std::size_t, std::size_t, std::size_t)>& step,
                    const std::function<void(std::size_t, KernelMutants)>& finished) {
  const process::Slots slots(options.jobs);
  // Enough that somebody always has work for a free slot; more would only hold their cases in memory.
  const unsigned beside = options.jobs / 2 + 2;
  const auto order = longest_first(entries);
  process::Pool pool(beside);
  for (const std::size_t which : order) {
    const auto& entry = *entries[which];
    const auto progress = std::make_shared<Progress>();
    process::Job job;
    job.work = [&, progress](const process::Reporter& reporter) {
      judge_kernel(entry, options, equivalents, slots, reporter);
    };
    job.hear = [&step, which, progress](const nlohmann::json& message) {
      if (!message.contains("done")) {
        progress->end = message;
        return false;
      }
      const auto done = message.at("done").get<std::size_t>();
      if (!progress->resumed) progress->resumed = done;
      step(which, done, message.at("all").get<std::size_t>());
      return true;
    };
    job.ended = [&, which, progress](const process::JobEnd& ended) {
      if (!progress->end.contains("core_seconds")) {
        throw std::runtime_error(
            fmt::format("{}: the process that judges its mutants ended ({}); the verdicts so far are kept; "
                        "run the same command again",
                        entry.name, ended.death ? ended.death->describe() : "early"));
      }
      KernelMutants mutants;
      if (progress->resumed) mutants = read_mutants(entry, options);  // else its text could not be read
      mutants.kernel.entry = &entry;
      mutants.error = progress->end.at("error").get<std::string>();
      // Results are kept by what was judged: the manifest and the text as they were when the run began.
      if (mutants.error.empty() && mutants.open > 0)
        mutants.error =
            "the kernel or its manifest changed while its mutants were judged; run the same command again";
      mutants.resumed = progress->resumed.value_or(0);
      mutants.core_seconds = progress->end.at("core_seconds").get<double>();
      mutants.seconds = ended.seconds;
      finished(which, std::move(mutants));
    };
    pool.add(std::move(job));
  }
  pool.run();
}

std::vector<MutationReport> run_campaign(const std::vector<const KernelEntry*>& entries,
                                         const MutateOptions& options, Equivalents& equivalents,
                                         const std::optional<std::filesystem::path>& file,
                                         const CampaignListener& listener) {
  std::map<std::size_t, MutationReport> finished;  // by the kernel's number
  StandingOfKernels kernels(entries);
  const auto step = [&](std::size_t which, std::size_t done, std::size_t all) {
    kernels.at(which, done, all);
    listener.step(kernels.standing());
  };
  const auto take = [&](std::size_t which, const KernelMutants& mutants) {
    kernels.finished(which);
    listener.finished(finished.try_emplace(which, mutants, equivalents).first->second);
    if (file) write_report(*file, options, finished);
    listener.step(kernels.standing());
  };
  mutate_kernels(entries, options, equivalents, step, take);
  std::vector<MutationReport> reports;
  reports.reserve(finished.size());
  for (auto& [which, report] : finished) reports.push_back(std::move(report));
  return reports;
}

}  // namespace assay::mutate
