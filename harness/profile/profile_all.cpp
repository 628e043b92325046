// Profiles of several kernels, each counted in a process of its own.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/process/pool.hpp"
#include "harness/profile/profiler.hpp"

namespace assay::profile {

void profile_all(std::vector<ProfileTask>& tasks, unsigned jobs, double timeout_s) {
  process::Pool pool(jobs);
  for (ProfileTask& task : tasks) {
    task.failure = "counting ended with nothing said";
    process::Job job;
    job.idle_limit_s = timeout_s;
    job.work = [&task](const process::Reporter& reporter) {
      reporter.send(to_json(profile_confined(*task.entry, task.wanted, reporter)));
    };
    job.hear = [&task](const nlohmann::json& message) {
      if (message.value("type", "") != "profile") return true;
      task.result = profile_from_json(message);
      task.failure.clear();
      return false;
    };
    job.ended = [&task, timeout_s](const process::JobEnd& end) {
      if (task.failure.empty()) return;
      if (!end.failure.empty()) {
        task.failure = end.failure;
      } else if (end.late) {
        task.failure = fmt::format("counting did not end within {} s", timeout_s);
      } else if (end.death) {
        task.failure = "counting stopped the process: " + end.death->describe();
      }
    };
    pool.add(std::move(job));
  }
  pool.run();
}

std::vector<ProfileTask> profile_all(const std::vector<const KernelEntry*>& entries, unsigned jobs) {
  std::vector<ProfileTask> tasks;
  for (const auto* entry : entries) tasks.push_back({entry, {}, {}, {}});
  profile_all(tasks, jobs);
  return tasks;
}

}  // namespace assay::profile
