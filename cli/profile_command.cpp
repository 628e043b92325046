#include <chrono>

#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/profile_progress.hpp"
#include "cli/progress_line.hpp"
#include "harness/process/slots.hpp"
#include "harness/profile/profile_text.hpp"
#include "harness/report/outputs.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const ProfileArguments& arguments) {
  report::check(arguments.outputs, "profile");
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  const auto start = std::chrono::steady_clock::now();
  ProgressLine line(arguments.talk);
  ProfileProgress progress;
  std::vector<profile::ProfileTask> counted;  // in the order in which they ended
  const auto ended = [&](const profile::ProfileStep& step) {
    progress.at(step);
    counted.push_back(step.task);
    line.detail(ProfileProgress::detail(step));
    if (line.due()) line.show(progress.line(step));
  };
  const auto tell = [&](const std::vector<profile::ProfileTask>& tasks) {
    for (const auto& task : tasks) {
      if (arguments.talk != Talk::quiet || !profile::claims_hold(task))
        line.print(profile::profile_text(task));
    }
  };
  try {
    const auto tasks = profile::profile_all(chosen, process::cores(), ended);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    report::write(arguments.outputs, tasks, took.count());
    tell(tasks);
    line.print(profile::claims_summary(tasks) + report::page_line(arguments.outputs, "profile"));
    return profile::exit_status(tasks);
  } catch (const process::Interrupted& by) {
    tell(counted);
    return interrupted(by, progress.words() + (arguments.outputs.any() ? "; no report was written" : ""));
  }
}

}  // namespace assay::cli
