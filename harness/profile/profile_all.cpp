// Profiles of several kernels, each counted in a process of its own.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/process/pool.hpp"
#include "harness/profile/profiler.hpp"

namespace assay::profile {
namespace {

// Why a process that counts has said nothing.
std::string failure_of(const process::JobEnd& end, double timeout_s) {
  if (!end.failure.empty()) return end.failure;
  if (end.late) return fmt::format("counting did not end within {} s", timeout_s);
  if (end.death) return "counting stopped the process: " + end.death->describe();
  return "the process that counts ended without a result";
}

}  // namespace

void profile_all(std::vector<ProfileTask>& tasks, unsigned jobs, const ProfileListener& ended,
                 double timeout_s) {
  process::Pool pool(jobs);
  std::size_t done = 0;
  for (ProfileTask& task : tasks) {
    task.failure = "not counted";
    process::Job job;
    job.idle_limit_s = timeout_s;
    job.work = [&task](const process::Reporter& reporter) {
      reporter.send(to_json(Profiler(*task.entry).count(task.wanted)));
    };
    job.hear = [&task](const nlohmann::json& message) {
      if (message.value("type", "") != "profile") return true;
      task.result = profile_from_json(message);
      task.failure.clear();
      return false;
    };
    job.ended = [&, timeout_s](const process::JobEnd& end) {
      if (!task.failure.empty()) task.failure = failure_of(end, timeout_s);
      if (ended) ended({task, end.seconds, ++done, tasks.size()});
    };
    pool.add(std::move(job));
  }
  pool.run();
}

std::vector<ProfileTask> profile_all(const std::vector<const KernelEntry*>& entries, unsigned jobs,
                                     const ProfileListener& ended) {
  std::vector<ProfileTask> tasks;
  tasks.reserve(entries.size());
  for (const auto* entry : entries) tasks.push_back({entry, {}, {}, {}});
  profile_all(tasks, jobs, ended);
  return tasks;
}

}  // namespace assay::profile
