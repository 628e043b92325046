#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/run/golden_cases.hpp"
#include "harness/run/list_text.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

int run_command(const ListArguments& arguments) {
  auto manifest = run::load_entries(arguments.kernels.manifest);
  if (arguments.golden)
    manifest = run::with_golden_cases(std::move(manifest), run::read_golden_set(*arguments.golden));
  write(arguments.names ? run::names_text(manifest) : run::list_text(manifest));
  const auto faults = run::faults_of(manifest);
  for (const auto& fault : faults) complain("assay: " + fault);
  return faults.empty() ? 0 : 2;
}

}  // namespace assay::cli
