#include "harness/report/json_report.hpp"

#include "harness/run/failure_json.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

json to_json(const device::SourcePlace& place) { return {{"file", place.file}, {"line", place.line}}; }

json to_json(const run::ModeReport& mode) {
  return {{"mode", name_of(mode.mode)},
          {"verdict", assay::name_of(mode.verdict)},
          {"summary", mode.summary},
          {"text", mode.text},
          {"replay", mode.replay},
          {"cases", mode.cases_run},
          {"seconds", mode.seconds},
          {"same_as_strict", mode.same_as_strict},
          {"coverage", mode.coverage.reached()},
          {"branches", mode.branches},
          {"schedules", mode.schedules},
          {"place", mode.place ? to_json(*mode.place) : json()},
          {"failure", mode.failure ? run::to_json(*mode.failure) : json()},
          {"errors", run::to_json(mode.errors)},
          {"claims", run::to_json(mode.claims)}};
}

json to_json(const KernelResult& kernel) {
  json modes = json::array();
  for (const auto& mode : kernel.report.modes) modes.push_back(to_json(mode));
  const auto& decisive = kernel.report.decisive();
  return {{"name", kernel.name},
          {"manifest", kernel.manifest},
          {"operation", kernel.operation},
          {"function", kernel.function},
          {"source", kernel.source},
          {"place", to_json(kernel.place)},
          {"verdict", assay::name_of(decisive.verdict)},
          {"decisive_mode", name_of(decisive.mode)},
          {"exit_status", assay::exit_status(decisive.verdict)},
          {"modes", modes}};
}

json to_json(const MutantsResult& kernel) {
  const auto totals = kernel.totals();
  return {{"name", kernel.name},
          {"error", kernel.error},
          {"of", kernel.of},
          {"seconds", kernel.seconds},
          {"core_seconds", kernel.core_seconds},
          {"mutants", kernel.mutants},
          {"totals",
           {{"mutants", totals.mutants},
            {"compiled", totals.compiled()},
            {"killed", totals.killed},
            {"equivalent", totals.equivalent},
            {"explained", totals.explained},
            {"survived", totals.survived},
            {"criteria", totals.criteria}}}};
}

template <class T>
json list_of(const std::vector<T>& values) {
  json list = json::array();
  for (const auto& one : values) list.push_back(to_json(one));
  return list;
}

void add(const Verified& verified, json& all) { all["kernels"] = list_of(verified.kernels); }

void add(const Mutated& mutated, json& all) {
  all["kernels"] = list_of(mutated.kernels);
  all["criteria"] = mutate::kCriteria;
  all["stale"] = mutated.stale;
}

void add(const Golden& golden, json& all) {
  all["of"] = golden.of;
  all["files"] = golden.files;
  all["removed"] = golden.removed;
  all["differing"] = golden.differing;
  all["unreadable"] = golden.unreadable;
}

}  // namespace

json to_json(const Results& results) {
  const auto& run = results.run;
  json all = {{"format", kFormat},
              {"version", kVersion},
              {"assay", run.assay},
              {"command", run.command},
              {"settings", run.settings},
              {"shard", {{"index", results.shard.index}, {"of", results.shard.of}}},
              {"exit_status", exit_status(results)},
              {"seconds", results.seconds}};
  if (!std::holds_alternative<Golden>(results.found)) {
    all["manifest"] = {{"file", run.manifest}, {"content", run.content}};
    all["chosen"] = run.chosen;
  }
  std::visit([&](const auto& found) { add(found, all); }, results.found);
  return all;
}

std::string json_text(const json& json) {
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace assay::report
