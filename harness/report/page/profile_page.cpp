#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/profile/profile_text.hpp"
#include "harness/report/page/claim_bars.hpp"
#include "harness/report/page/page.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/report.hpp"

namespace assay::report::page {
namespace {

using profile::ProfileTask;

Html counters_of(const ProfileTask& task, std::size_t index) {
  const auto claims = assay::compare_claims(*task.entry, task.result.figures);
  std::vector<std::vector<Html>> rows;
  const auto claim_of = [&](const std::string& name) {
    return std::find_if(claims.begin(), claims.end(),
                        [&](const ClaimResult& one) { return one.name == name; });
  };
  const auto add = [&](const std::string& name, const std::optional<Figure>& measured) {
    const auto claim = claim_of(name);
    const bool claimed = claim != claims.end();
    Html verdict;
    if (claimed) verdict = badge(claim->holds() ? "agrees" : "differs", claim->holds() ? "pass" : "rejected");
    Html number = measured ? figure_text(*measured) : "nothing";
    if (measured && std::isfinite(measured->low))
      number = tag("data",
                   {{"value", fmt::format("{}", measured->low)},
                    {"data-json", fmt::format("/kernels/{}/figures/{}/0", index, name)}},
                   number);
    rows.push_back({tag("code", name), number, claimed ? number_of(claim->claimed) : "",
                    claimed ? paired_bars(measured, claim->claimed) : Html(), verdict});
  };
  for (const auto& counter : assay::counters()) {
    for (const auto& [name, figure] : task.result.figures) {
      if (assay::find_counter(name) == &counter) add(name, figure);
    }
  }
  for (const auto& claim : claims) {
    if (!claim.measured) add(claim.name, std::nullopt);
  }
  return scrolling("Counters of " + task.entry->name,
                   table("Bars: the counted value, above the claimed value",
                         {{"Counter"}, {"Counted", true}, {"Claimed", true}, {""}, {""}}, rows));
}

Html claim_verdict_of(const ProfileTask& task) {
  if (!task.failure.empty()) return badge("not counted", "unjudged");
  if (task.entry->claims.empty()) return tag("span", {{"class", "faint"}}, "claims nothing");
  return profile::claims_hold(task) ? badge("agrees", "pass") : badge("differs", "rejected");
}

Html kernel_of(const ProfileTask& task, std::size_t index) {
  const auto& entry = *task.entry;
  const Html heading = tag("h3", entry.name) + claim_verdict_of(task) +
                       tag("span", {{"class", "faint small"}},
                           fmt::format("{} {}", entry.operation, assay::to_text(task.result.dims)));
  const Html body = task.failure.empty() ? counters_of(task, index)
                                         : tag("p", {{"class", "message unjudged-line"}}, task.failure);
  return tag("article", {{"class", "kernel"}, {"id", anchor_of(index)}}, tag("header", heading) + body);
}

Html kernels_of_profile(const std::vector<ProfileTask>& tasks) {
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto claims = assay::compare_claims(*tasks[i].entry, tasks[i].result.figures);
    const auto held = static_cast<std::size_t>(
        std::count_if(claims.begin(), claims.end(), [](const ClaimResult& one) { return one.holds(); }));
    rows.push_back({tag("a", {{"href", "#" + anchor_of(i)}}, tasks[i].entry->name), tasks[i].entry->operation,
                    grouped(claims.size()), grouped(held), claim_verdict_of(tasks[i])});
  }
  return scrolling("Kernels",
                   table("Claims of each kernel, and how many of them hold",
                         {{"Kernel"}, {"Operation"}, {"Claims", true}, {"Hold", true}, {""}}, rows));
}

}  // namespace

std::string profile_page(const std::vector<ProfileTask>& tasks, const Surroundings& around) {
  std::size_t differ = 0, failed = 0, claiming = 0;
  for (const auto& task : tasks) {
    claiming += task.entry->claims.empty() ? 0 : 1;
    failed += task.failure.empty() ? 0 : 1;
    differ += task.failure.empty() && !profile::claims_hold(task) ? 1 : 0;
  }
  auto title = differ == 0
                   ? fmt::format("{} {} what {}", counted(claiming, "kernel", "kernels"),
                                 claiming == 1 ? "does" : "do", claiming == 1 ? "it claims" : "they claim")
                   : fmt::format("{} {} not do what {}", counted(differ, "kernel", "kernels"),
                                 differ == 1 ? "does" : "do", differ == 1 ? "it claims" : "they claim");
  if (failed > 0 && differ == 0)
    title = fmt::format("{} could not be counted", counted(failed, "kernel", "kernels"));
  if (claiming == 0 && failed == 0)
    title = fmt::format("{}, none of which claims anything", counted(tasks.size(), "kernel", "kernels"));
  Html content = tag("h1", title) + tag("p", {{"class", "headline"}},
                                        "What kernels do, as the simulator counts it, next to what their "
                                        "manifests claim: memory, barriers, loads and "
                                        "matrix operations.");
  if (tasks.size() > 1) content += tag("h2", "All kernels") + kernels_of_profile(tasks);
  content += tag("h2", "Counters");
  for (std::size_t i = 0; i < tasks.size(); ++i) content += kernel_of(tasks[i], i);
  return document({title + " \u2013 Assay profile", "profile", std::string(version()), around.written,
                   around.json, around.links},
                  content);
}

}  // namespace assay::report::page
