#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/mutate/repair_run.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {
namespace {

void print_repairs(const std::string& name, const mutate::Repairs& repairs, std::uint64_t cases) {
  if (repairs.verdict.empty()) {
    print("{}: passes {} cases; there is nothing to repair\n", name, cases);
    return;
  }
  print("{}: {} in {} mode, case {}\n", name, repairs.verdict, repairs.mode, repairs.case_);
  if (repairs.found.empty()) {
    print("  none of {} single changes lets it pass: the fault has several places, or is no small one\n",
          repairs.tried);
    return;
  }
  print("  of {} single changes, {} let{} all {} cases pass in every mode:\n", repairs.tried,
        repairs.found.size(), repairs.found.size() == 1 ? "s" : "", cases);
  for (const auto& change : repairs.found) print("{}\n", change.diff());
}

}  // namespace

int run_command(const RepairArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  bool wrong = false, broken = false;
  ProgressLine line;
  for (const auto* entry : run::choose(entries, arguments.kernels.names)) {
    line.show(entry->name);
    try {
      const auto repairs =
          mutate::find_repairs(*entry, arguments.options, [&](std::size_t done, std::size_t all) {
            line.show(fmt::format("{} {}/{}", entry->name, done, all));
          });
      line.clear();
      print_repairs(entry->name, repairs, arguments.options.cases);
      wrong |= !repairs.verdict.empty();
    } catch (const std::exception& error) {
      line.clear();
      print("{}: {}\n", entry->name, words_of(error));
      broken = true;
    }
    flush();
  }
  return wrong ? 1 : broken ? 2 : 0;
}

}  // namespace assay::cli
