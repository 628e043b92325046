#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/profile_progress.hpp"
#include "cli/progress_line.hpp"
#include "harness/process/slots.hpp"
#include "harness/profile/profile_text.hpp"
#include "harness/report/outputs.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/pace.hpp"

namespace assay::cli {

int run_command(const ProfileArguments& arguments) {
  report::check(arguments.outputs, "profile");
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  const Stopwatch clock;
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
  return tell_if_interrupted(
      line,
      [&] {
        const auto tasks = profile::profile_all(chosen, process::cores(), ended);
        report::write(arguments.outputs, tasks, clock.seconds());
        tell(tasks);
        line.print(profile::claims_summary(tasks) + report::page_line(arguments.outputs, "profile"));
        return profile::exit_status(tasks);
      },
      [&] {
        tell(counted);
        return progress.words() + (arguments.outputs.any() ? "; no report was written" : "");
      });
}

}  // namespace assay::cli
