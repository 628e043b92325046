#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/mutate/repair_text.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/printable.hpp"

namespace assay::cli {

int run_command(const RepairArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  bool wrong = false, broken = false;
  ProgressLine line;
  for (const auto* entry : run::choose(entries, arguments.kernels.names)) {
    const auto step = [&](std::size_t done, std::size_t all) {
      line.show(fmt::format("{} {}/{}", entry->name, done, all));
    };
    line.show(entry->name);
    try {
      const auto repairs = mutate::find_repairs(*entry, arguments.options, step);
      line.print(mutate::repair_text(entry->name, repairs, arguments.options.cases));
      wrong |= !repairs.verdict.empty();
    } catch (const std::exception& error) {
      line.print(fmt::format("{}: {}\n", entry->name, words_of(error)));
      broken = true;
    }
  }
  return wrong ? 1 : broken ? 2 : 0;
}

}  // namespace assay::cli
