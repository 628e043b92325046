#include "harness/report/profile_json.hpp"

#include "harness/profile/profile_text.hpp"
#include "harness/report/json_report.hpp"
#include "harness/run/failure_json.hpp"

namespace assay::report {

nlohmann::json profile_json(const std::vector<profile::ProfileTask>& tasks, double seconds) {
  nlohmann::json kernels = nlohmann::json::array(), chosen = nlohmann::json::array();
  for (const auto& task : tasks) {
    const auto& entry = *task.entry;
    chosen.push_back(entry.name);
    // As its process sends it: a list of the least and the most of each; null where nothing limits it.
    auto counted = profile::to_json(task.result);
    if (counted.at("figures").is_null()) counted["figures"] = nlohmann::json::object();
    const bool failed = !task.failure.empty();
    kernels.push_back({{"name", entry.name},
                       {"operation", entry.operation},
                       {"error", task.failure},
                       {"dims", counted.at("dims")},
                       {"figures", counted.at("figures")},
                       {"claims", failed ? nlohmann::json::array()
                                         : run::to_json(assay::compare_claims(entry, task.result.figures))}});
  }
  return {
      {"format", kFormat},
      {"version", kVersion},
      {"assay", version()},
      {"command", "profile"},
      {"settings", nlohmann::json::object()},
      {"shard", {{"index", 1}, {"of", 1}}},
      {"exit_status", profile::exit_status(tasks)},
      {"seconds", seconds},
      {"manifest", {{"file", tasks.empty() ? "" : tasks.front().entry->manifest.string()}, {"content", ""}}},
      {"chosen", chosen},
      {"kernels", kernels}};
}

}  // namespace assay::report
