#include "harness/profile/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/verify/report.hpp"

namespace assay::profile {
namespace {

struct Row {
  std::string counter, measured, claimed, verdict;
};

// Counters in their order, and behind them what is claimed and was not counted.
std::vector<Row> rows_of(const ProfileTask& task) {
  std::vector<Row> rows = {{"counter", "measured", "claimed", ""}};
  for (const auto& counter : assay::counters()) {
    for (const auto& [name, figure] : task.result.figures) {
      if (assay::find_counter(name) == &counter) rows.push_back({name, to_text(figure), "", ""});
    }
  }
  for (const auto& claim : assay::compare_claims(*task.entry, task.result.figures)) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.counter == claim.name; });
    if (row == rows.end()) row = rows.insert(row, {claim.name, "nothing", "", ""});
    row->claimed = assay::number_text(claim.claimed);
    row->verdict = claim.holds() ? "agrees" : "claim differs";
  }
  return rows;
}

}  // namespace

std::string profile_text(const ProfileTask& task) {
  const auto& entry = *task.entry;
  if (!task.failure.empty()) return fmt::format("{}: error: {}\n\n", entry.name, task.failure);
  const auto rows = rows_of(task);
  std::size_t widths[3] = {};
  for (const Row& row : rows) {
    widths[0] = std::max(widths[0], row.counter.size());
    widths[1] = std::max(widths[1], row.measured.size());
    widths[2] = std::max(widths[2], row.claimed.size());
  }
  auto text = fmt::format("{}: {} {}\n\n", entry.name, entry.operation, assay::to_text(task.result.dims));
  for (const Row& row : rows) {
    const std::string line = fmt::format("  {:<{}}  {:>{}}  {:>{}}  {}", row.counter, widths[0], row.measured,
                                         widths[1], row.claimed, widths[2], row.verdict);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "\n";
}

bool claims_hold(const ProfileTask& task) {
  if (!task.failure.empty()) return false;
  const auto claims = assay::compare_claims(*task.entry, task.result.figures);
  return std::all_of(claims.begin(), claims.end(), [](const auto& claim) { return claim.holds(); });
}

std::string claims_summary(const std::vector<ProfileTask>& tasks) {
  std::size_t claiming = 0, held = 0;
  for (const auto& task : tasks) {
    if (task.entry->claims.empty()) continue;
    ++claiming;
    held += claims_hold(task);
  }
  const std::size_t silent = tasks.size() - claiming;
  return fmt::format("{} of {} kernels do what they claim{}\n", held, claiming,
                     silent == 0 ? "" : fmt::format("; {} claim nothing", silent));
}

int exit_status(const std::vector<ProfileTask>& tasks) {
  const auto failed = [](const ProfileTask& task) { return !task.failure.empty(); };
  const auto differs = [&](const ProfileTask& task) { return !failed(task) && !claims_hold(task); };
  if (std::any_of(tasks.begin(), tasks.end(), differs)) return 1;
  return std::any_of(tasks.begin(), tasks.end(), failed) ? 2 : 0;
}

}  // namespace assay::profile
