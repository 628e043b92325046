#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/page/diff_view.hpp"
#include "harness/report/page/page.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

using mutate::MutationTotals;
using nlohmann::json;

double part(std::size_t count, std::size_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

MutationTotals totals_of(const Mutated& mutated) {
  MutationTotals totals;
  for (const auto& kernel : mutated.kernels) totals.add(kernel.totals());
  return totals;
}

std::string title_of_mutants(const MutationTotals& totals) {
  if (totals.compiled() == 0) return "No mutant compiled";
  if (totals.faulty() == 0) return "No mutant differs from its kernel";
  if (totals.survived == 0)
    return fmt::format("Verification rejects all {} faulty mutants", grouped(totals.faulty()));
  return fmt::format("{} of {} faulty mutants {}", grouped(totals.survived), grouped(totals.faulty()),
                     totals.survived == 1 ? "survives" : "survive");
}

Html count_card(std::string_view name, std::size_t count, std::string_view remark) {
  return tag("div", {{"class", "card"}},
             tag("dt", name) + tag("dd", Html(grouped(count)) + tag("span", {{"class", "small"}}, remark)));
}

Html mutant_cards(const MutationTotals& totals) {
  return tag(
      "dl", {{"class", "cards"}},
      {count_card("Mutants", totals.mutants, fmt::format("{} of them compile", grouped(totals.compiled()))),
       count_card("Rejected", totals.killed, "by verification"),
       count_card("Survive", totals.survived, "each is a gap or needs an explanation"),
       count_card("The same code", totals.equivalent, "compiled to the same code as the kernel"),
       count_card("Explained", totals.explained, "in the list of equivalent mutants")});
}

Html criteria_of(const MutationTotals& totals) {
  const auto of = totals.faulty();
  std::vector<std::vector<Html>> rows;
  const auto add = [&](std::string_view name, std::size_t count, const char* colour) {
    rows.push_back({name, grouped(count), percent(part(count, of)), meter(part(count, of), colour, 220)});
  };
  add("Assay", totals.killed, "bar-pass");
  for (std::size_t c = 0; c < mutate::kCriteria.size(); ++c)
    add(mutate::kCriteria[c], totals.criteria[c], "bar-2");
  return tag("h2", "What each criterion rejects") +
         scrolling(
             "What each criterion rejects",
             table(fmt::format("Of the {} mutants that differ from their kernels, given the same outputs",
                               grouped(of)),
                   {{"Criterion"}, {"Rejects", true}, {"Share", true}, {""}}, rows));
}

Html kernels_of(const Mutated& mutated) {
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < mutated.kernels.size(); ++i) {
    const auto& kernel = mutated.kernels[i];
    const auto totals = kernel.totals();
    const auto figure = [&](std::size_t count, const char* name) {
      return figure_of(count, fmt::format("/kernels/{}/totals/{}", i, name));
    };
    Html name = kernel.name;
    if (totals.survived > 0) name = tag("a", {{"href", fmt::format("#survivors-{}", i)}}, kernel.name);
    if (!kernel.error.empty()) name += tag("span", {{"class", "small faint"}}, " " + kernel.error);
    rows.push_back({name, figure(totals.mutants, "mutants"), figure(totals.compiled(), "compiled"),
                    figure(totals.killed, "killed"), figure(totals.equivalent, "equivalent"),
                    figure(totals.explained, "explained"), figure(totals.survived, "survived"),
                    Html{meter(part(totals.killed, totals.faulty()), "bar-pass", 80), " ",
                         totals.faulty() == 0 ? "\u2013" : percent(part(totals.killed, totals.faulty()))},
                    seconds_of(kernel.seconds, fmt::format("/kernels/{}/seconds", i))});
  }
  return tag("h2", "Kernels") +
         scrolling("Kernels",
                   table("Mutants of each kernel, and the share of the faulty ones that verification rejects",
                         {{"Kernel"},
                          {"Mutants", true},
                          {"Compiled", true},
                          {"Rejected", true},
                          {"Same code", true},
                          {"Explained", true},
                          {"Survive", true},
                          {"Score"},
                          {"Time", true}},
                         rows, "wide"));
}

// How the rejected ones were: by verdict and by kind of change.
Html rejections_of(const Mutated& mutated) {
  std::map<std::string, std::size_t> verdicts;
  std::map<std::string, std::pair<std::size_t, std::size_t>> kinds;  // killed, survived
  for (const auto& kernel : mutated.kernels) {
    for (const json& mutant : kernel.mutants) {
      const auto& status = mutant.at("status").get_ref<const std::string&>();
      const auto& kind = mutant.at("kind").get_ref<const std::string&>();
      if (status == "killed") {
        ++verdicts[mutant.at("verdict").get<std::string>()];
        ++kinds[kind].first;
      } else if (status == "survived") {
        ++kinds[kind].second;
      }
    }
  }
  if (kinds.empty()) return {};
  std::vector<std::vector<Html>> by_verdict, by_kind;
  for (const auto& [verdict, count] : verdicts) by_verdict.push_back({verdict, grouped(count)});
  for (const auto& [kind, counts] : kinds)
    by_kind.push_back({kind, grouped(counts.first), grouped(counts.second)});
  return tag("h2", "How they were rejected") +
         tag("div", {{"class", "figures"}},
             table("By verdict", {{"Verdict"}, {"Mutants", true}}, by_verdict) +
                 table("By kind of change", {{"Change"}, {"Rejected", true}, {"Survive", true}}, by_kind));
}

Html mutant_of(const json& mutant) {
  const auto lines = [&](const char* name) { return mutant.at(name).get<std::vector<std::string>>(); };
  return tag("p", {{"class", "small"}},
             {"Mutant ", grouped(mutant.at("index").get<std::uint64_t>()), ": ",
              mutant.at("kind").get<std::string>()}) +
         diff_view(mutant.at("file").get<std::string>(), mutant.at("line").get<std::uint32_t>(),
                   lines("before"), lines("after"));
}

Html survivors_of(const Mutated& mutated) {
  Html all;
  for (std::size_t i = 0; i < mutated.kernels.size(); ++i) {
    Html list;
    for (const json& mutant : mutated.kernels[i].mutants) {
      if (mutant.at("status") == "survived") list += mutant_of(mutant);
    }
    if (list.empty()) continue;
    all += tag("article", {{"class", "kernel"}, {"id", fmt::format("survivors-{}", i)}},
               tag("header", tag("h3", mutated.kernels[i].name)) + list);
  }
  return tag("h2", "Survivors") + (all.empty() ? tag("p", "No mutant survives unexplained.") : all);
}

Html explained_of(const Mutated& mutated) {
  Html all;
  for (const auto& kernel : mutated.kernels) {
    Html list;
    std::size_t count = 0;
    for (const json& mutant : kernel.mutants) {
      if (mutant.at("status") != "explained") continue;
      ++count;
      list += mutant_of(mutant) + tag("p", {{"class", "small"}},
                                      {tag("b", "Why it is not a fault: "), mutant.value("reason", "")});
    }
    if (!list.empty())
      all += tag("details", {{"class", "kernel"}},
                 tag("summary", tag("h3", kernel.name) + tag("span", {{"class", "faint small"}},
                                                             counted(count, "mutant", "mutants"))) +
                     list);
  }
  return all.empty() ? all : tag("h2", "Explained survivors") + all;
}

Html stale_of(const Mutated& mutated) {
  if (mutated.stale.empty()) return {};
  Html items;
  for (const auto& one : mutated.stale) items += tag("li", one);
  return tag("h2", "Unused entries of the list of equivalent mutants") +
         tag("ul", {{"class", "findings"}}, items);
}

}  // namespace

std::string mutate_page(const Results& results, const Surroundings& around) {
  const auto& mutated = std::get<Mutated>(results.found);
  const auto totals = totals_of(mutated);
  const auto title = title_of_mutants(totals);
  const auto& settings = results.run.settings;
  const auto sample = settings.at("sample").get<std::uint64_t>();
  Html words = {
      fmt::format("{} a mutant and mode, seed {}; {}",
                  counted(settings.at("cases").get<std::uint64_t>(), "case", "cases"),
                  settings.at("seed").get<std::uint64_t>(),
                  sample == 0 ? std::string("all mutants")
                              : fmt::format("{} mutants of each kernel, drawn at random", grouped(sample))),
      "; manifest ", tag("code", results.run.manifest)};
  if (!results.shard.whole()) words += "; shard " + to_text(results.shard);
  Html content =
      tag("h1", title) +
      tag("p", {{"class", "headline"}},
          "A mutant is a kernel with one small fault put into its text. A mutant that verification "
          "does not reject shows a gap in what it sees, or is not a fault at all.") +
      tag("p", {{"class", "settings"}}, words) + mutant_cards(totals) + criteria_of(totals) +
      survivors_of(mutated) + kernels_of(mutated) + rejections_of(mutated) + explained_of(mutated) +
      stale_of(mutated);
  return document({title + " \u2013 Assay mutate", "mutate", results.run.assay, around.written, around.json,
                   around.links},
                  content);
}

}  // namespace assay::report::page
