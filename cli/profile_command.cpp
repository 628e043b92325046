#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/process/slots.hpp"
#include "harness/profile/profile_text.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const ProfileArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  const auto tasks = profile::profile_all(chosen, process::cores());
  for (const auto& task : tasks) write(profile::profile_text(task));
  write(profile::claims_summary(tasks));
  return profile::exit_status(tasks);
}

}  // namespace assay::cli
