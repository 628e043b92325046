#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/profile/profiler.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/report.hpp"

namespace assay::cli {
namespace {

/// A row a counter: measured, claimed, verdict. False where a claim differs.
bool print_counters(const profile::ProfileTask& task) {
  const auto& entry = *task.entry;
  print("{}: {} {}\n\n", entry.name, entry.operation, assay::to_text(task.result.dims));
  struct Row {
    std::string counter, measured, claimed, verdict;
  };
  std::vector<Row> rows = {{"counter", "measured", "claimed", ""}};
  for (const auto& counter : assay::counters()) {
    for (const auto& [name, figure] : task.result.figures) {
      if (assay::find_counter(name) == &counter) rows.push_back({name, to_text(figure), "", ""});
    }
  }
  bool all_hold = true;
  for (const auto& claim : assay::compare_claims(entry, task.result.figures)) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.counter == claim.name; });
    if (row == rows.end()) row = rows.insert(row, {claim.name, "nothing", "", ""});
    row->claimed = assay::number_text(claim.claimed);
    row->verdict = claim.holds() ? "agrees" : "claim differs";
    all_hold &= claim.holds();
  }
  std::size_t widths[3] = {};
  for (const Row& row : rows) {
    widths[0] = std::max(widths[0], row.counter.size());
    widths[1] = std::max(widths[1], row.measured.size());
    widths[2] = std::max(widths[2], row.claimed.size());
  }
  for (const Row& row : rows) {
    const std::string line = fmt::format("  {:<{}}  {:>{}}  {:>{}}  {}", row.counter, widths[0], row.measured,
                                         widths[1], row.claimed, widths[2], row.verdict);
    print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  print("\n");
  return all_hold;
}

}  // namespace

int run_command(const ProfileArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  std::vector<profile::ProfileTask> tasks;
  for (const auto* entry : run::choose(entries, arguments.kernels.names))
    tasks.push_back({entry, {}, {}, {}});
  profile::profile_all(tasks, std::max(1U, std::thread::hardware_concurrency()));
  bool differs = false;
  std::size_t claiming = 0, held = 0, failed = 0;
  for (const auto& task : tasks) {
    claiming += task.entry->claims.empty() ? 0 : 1;
    if (!task.failure.empty()) {
      ++failed;
      print("{}: error: {}\n\n", task.entry->name, task.failure);
    } else if (!print_counters(task)) {
      differs = true;
    } else if (!task.entry->claims.empty()) {
      ++held;
    }
  }
  const std::size_t silent = tasks.size() - claiming;
  print("{} of {} kernels do what they claim{}\n", held, claiming,
        silent == 0 ? "" : fmt::format("; {} claim nothing", silent));
  if (differs) return 1;
  return failed == 0 ? 0 : 2;
}

}  // namespace assay::cli
