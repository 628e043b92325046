#include <chrono>

#include "cli/commands.hpp"
#include "cli/output.hpp"
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
  const auto tasks = profile::profile_all(chosen, process::cores());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report::write(arguments.outputs, tasks, took.count());
  for (const auto& task : tasks) write(profile::profile_text(task));
  write(profile::claims_summary(tasks) + report::page_line(arguments.outputs, "profile"));
  return profile::exit_status(tasks);
}

}  // namespace assay::cli
