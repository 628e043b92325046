#include "properties/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "harness/verify/numbers.hpp"
#include "properties/cases/flushing.hpp"
#include "properties/diagnosis/case_coordinates.hpp"
#include "properties/diagnosis/finite_neighbours.hpp"
#include "properties/diagnosis/plain_order.hpp"
#include "properties/diagnosis/probes.hpp"
#include "properties/diagnosis/rule.hpp"
#include "properties/diagnosis/wrong_values.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kWidth = 98;

/// One probe whose outputs were compared, seen through one of them.
struct Seen {
  Case asked;
  Problem problem;
  std::vector<Expectation> expected;
  std::size_t output = 0;  ///< index into `expected` and `comparisons`
  Comparison comparison;
  bool weights = false;  ///< every element shows one weight
  bool failing = false;  ///< it is what was found, rather than asked for
  ElementTable table;

  const Expectation& expectation() const { return expected[output]; }
};

ElementTable table_of(const Operation& operation, const KernelTraits& traits, const Case& asked,
                      const Comparison& comparison, const std::optional<WeightsSeen>& weights,
                      const std::vector<device::Writer>& writers) {
  ElementTable table;
  table.wrong.assign(comparison.elements, 0);
  for (const WrongElement& element : comparison.wrong) table.wrong[element.index] = 1;
  const Matrix shape = comparison.matrix();
  const auto tile = [](std::int64_t size) { return static_cast<std::size_t>(size); };
  if (weights) {
    table.coordinates = weights->formats;
    const auto size = [&](const char* name) {
      const auto found = asked.dims.find(name);
      return found == asked.dims.end() ? 0 : static_cast<std::size_t>(found->second);
    };
    for (auto& one :
         coordinates_along_k(weights->k_of_row, shape.columns,
                             {size("K"), tile(traits.tile.k), size("group_size"), size("parallel")}))
      table.coordinates.push_back(std::move(one));
  }
  for (auto& one : coordinates_of_storers(writers, table.wrong)) table.coordinates.push_back(std::move(one));
  for (auto& one : coordinates_of_place(shape.rows, shape.columns, tile(traits.tile.m), tile(traits.tile.n)))
    table.coordinates.push_back(std::move(one));
  add_coordinates_of_case(operation.declaration(), traits.tile, asked, comparison.elements,
                          table.coordinates);
  return table;
}

/// The problem of a case and what is right for it. Throws Unjudgeable.
Given problem_of(const Trial& trial, const Case& asked, const Probing& probing) {
  if (!asked.golden.empty() && probing.given) return probing.given(asked);
  Given drawn{trial.operation().make_problem(asked), {}};
  drawn.expected = right_answers(trial.operation(), drawn.problem, trial.arithmetic());
  return drawn;
}

/// What the probes show of each output that is wrong in any of them; the output with most wrong elements.
std::vector<Seen> ask(const Trial& trial, const std::vector<Case>& cases, const std::vector<Case>& failing,
                      const Probing& probing) {
  const Operation& operation = trial.operation();
  const KernelTraits traits = traits_of(trial.entry());
  std::map<std::string, std::vector<Seen>> by_output;
  std::map<std::string, std::size_t> wrong;
  for (const Case& asked : cases) {
    if (probing.before_each) probing.before_each(asked);
    Given given;
    try {
      given = problem_of(trial, asked, probing);
    } catch (const Unjudgeable&) {
      continue;
    }
    const auto& [problem, expected] = given;
    const TrialResult result = trial.run(problem, expected);
    const LastWriters writers = probing.writers ? probing.writers(problem) : LastWriters();
    for (const Comparison& comparison : result.evidence.comparisons) {
      const auto found = std::find_if(expected.begin(), expected.end(),
                                      [&](const auto& one) { return one.tensor == comparison.tensor; });
      const auto weights = operation.weights_seen(problem, comparison.tensor);
      const auto stored = writers.find(comparison.tensor);
      wrong[comparison.tensor] += comparison.wrong.size();
      by_output[comparison.tensor].push_back(
          {asked, problem, expected, static_cast<std::size_t>(found - expected.begin()), comparison,
           weights.has_value(), std::find(failing.begin(), failing.end(), asked) != failing.end(),
           table_of(operation, traits, asked, comparison, weights,
                    stored == writers.end() ? std::vector<device::Writer>() : stored->second)});
    }
  }
  const auto most = std::max_element(wrong.begin(), wrong.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == wrong.end() || most->second == 0) return {};
  return std::move(by_output[most->first]);
}

std::size_t count_wrong(const std::vector<const Seen*>& probes) {
  return static_cast<std::size_t>(
      std::count_if(probes.begin(), probes.end(), [](const Seen* one) { return !one->comparison.right(); }));
}

/// Wrong probes that an explanation must explain: what explains a single one may do so by chance.
constexpr std::size_t kEvidence = 2;

/// The first of the operation's other answers that are those of every probe, right or wrong.
std::optional<std::string> explain_by_answers(const Operation& operation,
                                              const std::vector<const Seen*>& probes) {
  std::vector<std::string> in_order;
  std::set<std::string> refuted;
  for (const Seen* seen : probes) {
    try {
      for (const OtherAnswers& other : operation.other_answers(seen->problem)) {
        if (std::find(in_order.begin(), in_order.end(), other.words) == in_order.end())
          in_order.push_back(other.words);
        if (!agrees(seen->comparison, seen->expectation(), other.expected.at(seen->output)))
          refuted.insert(other.words);
      }
    } catch (const std::logic_error&) {
      // Not to be judged: it neither speaks for an answer nor against it.
    }
  }
  const auto first = std::find_if(in_order.begin(), in_order.end(),
                                  [&](const std::string& words) { return !refuted.contains(words); });
  if (first == in_order.end() || count_wrong(probes) < kEvidence) return std::nullopt;
  return fmt::format("The kernel behaves as if {}. This agrees with all {} probes, {} of which are wrong.",
                     *first, probes.size(), count_wrong(probes));
}

/// What was seen, without the wrong elements that this order leaves where they are: at an edge their partners
/// do not exist, and nobody knows what stands there.
Comparison moved_alone(const Seen& seen, const std::string& order) {
  Expectation numbered = seen.expectation();
  for (std::size_t i = 0; i < numbered.value.size(); ++i) numbered.value[i] = static_cast<double>(i);
  Comparison moved = seen.comparison;
  for (const Reordering& one : reorderings_of(numbered, seen.comparison.matrix())) {
    if (one.words != order) continue;
    std::erase_if(moved.wrong, [&](const WrongElement& wrong) {
      return one.expected.value[wrong.index] == static_cast<double>(wrong.index);
    });
  }
  return moved;
}

/// The explanation that holds in most of the wrong probes.
std::optional<std::string> explain(const Trial& trial, const std::vector<const Seen*>& probes) {
  const Operation& operation = trial.operation();
  const Tile tile = traits_of(trial.entry()).tile;
  if (auto answers = explain_by_answers(operation, probes)) return answers;
  std::vector<const Seen*> wrong;
  for (const Seen* one : probes) {
    if (!one->comparison.right()) wrong.push_back(one);
  }
  // Small ones first: most explanations fail there.
  std::stable_sort(wrong.begin(), wrong.end(), [](const Seen* a, const Seen* b) {
    return a->comparison.elements < b->comparison.elements;
  });
  if (wrong.size() < kEvidence) return std::nullopt;
  std::map<std::string, std::size_t> explained;
  std::set<std::string> refuted;    // by the failing case itself
  std::set<std::string> told;       // something, rather than that all is lost
  std::set<std::string> of_places;  // leave out edges, whose partners do not exist: some probes are enough
  std::vector<std::string> in_order;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const Seen& seen = *wrong[i];
    const auto hit = [&](const std::string& words, const Expectation& other) {
      if (!explains(seen.comparison, seen.expectation(), other)) return;
      if (explained[words]++ == 0) in_order.push_back(words);
      if (tells(seen.comparison, other)) told.insert(words);
    };
    auto others = operation.counterfactuals(seen.problem, tile);
    for (auto& one : counterfactuals_of(seen.problem)) others.push_back(std::move(one));
    for (const Counterfactual& other : others) {
      if (explained[other.words] < i) continue;  // it must hold in all
      try {
        const Operation& its_own = find_operation(other.problem.operation);
        hit(other.words, right_answers(its_own, other.problem, trial.arithmetic()).at(seen.output));
      } catch (const std::logic_error&) {
        // Not a problem of this operation, or not one that can be judged: it explains nothing.
      }
    }
    for (const OtherArithmetic& other : other_arithmetics(trial.arithmetic())) {
      if (explained[other.words] < i) continue;
      try {
        hit(other.words, right_answers(operation, seen.problem, other.arithmetic).at(seen.output));
      } catch (const std::logic_error&) {
        // As above.
      }
    }
    for (const Reordering& other : reorderings_of(seen.expectation(), seen.comparison.matrix())) {
      of_places.insert(other.words);
      hit(other.words, other.expected);
      if (seen.failing && !agrees(moved_alone(seen, other.words), seen.expectation(), other.expected))
        refuted.insert(other.words);
    }
  }
  // What a kernel did to its inputs it did in every probe; else zeros explain whatever is left out.
  std::erase_if(in_order, [&](const std::string& words) {
    return !told.contains(words) || refuted.contains(words) ||
           explained[words] < (of_places.contains(words) ? kEvidence : wrong.size());
  });
  const auto best = std::max_element(in_order.begin(), in_order.end(), [&](const auto& a, const auto& b) {
    return explained[a] < explained[b];
  });
  if (best == in_order.end()) return std::nullopt;
  return fmt::format("The kernel behaves as if {}. This explains {} probes that are wrong.", *best,
                     explained[*best] == wrong.size()
                         ? fmt::format("all {}", wrong.size())
                         : fmt::format("{} of the {}", explained[*best], wrong.size()));
}

/// Where in the tile the simdgroups of a rule store, " (rows 0-31 of the tile)"; "" where they store in no
/// part of their own.
std::string part_in_words(const Rule& rule, const ElementTable& table) {
  for (const Condition& term : rule.terms) {
    if (!table.coordinates[term.coordinate].writer) continue;
    ElementTable places;
    for (const Coordinate& one : table.coordinates) {
      if (!one.weight && !one.writer) places.coordinates.push_back(one);
    }
    for (const std::int64_t writer : table.coordinates[term.coordinate].of)
      places.wrong.push_back(std::binary_search(term.values.begin(), term.values.end(), writer) ? 1 : 0);
    const Rule part = find_rule(places, 2);
    if (!part.terms.empty() && part.wrong == part.having) return fmt::format(" ({})", in_words(part, places));
  }
  return "";
}

/// What the elements of a rule share; `kind` says which elements are meant: "elements". That they share
/// nothing is not said where `terse`.
std::string rule_in_words(const Rule& rule, const ElementTable& table, std::string_view kind, bool terse) {
  if (rule.wrong == rule.all && rule.all == 1) return "the only element is wrong.";
  if (rule.wrong == rule.all) return fmt::format("all {} {} are wrong.", grouped(rule.all), kind);
  if (rule.terms.empty()) {
    return fmt::format("{} of {} {} {} wrong{}.", grouped(rule.wrong), grouped(rule.all), kind,
                       rule.wrong == 1 ? "is" : "are", terse ? "" : ", in no pattern that Assay looks for");
  }
  if (rule.wrong == 1) {
    return fmt::format("one of {} {} is wrong, {}{}. A single element may share this by chance.",
                       grouped(rule.all), kind, in_words(rule, table), part_in_words(rule, table));
  }
  const std::string count = rule.wrong == rule.having
                                ? fmt::format("all {} of them", grouped(rule.having))
                                : fmt::format("{} of these {}", grouped(rule.wrong), grouped(rule.having));
  const std::string words = in_words(rule, table);
  return fmt::format("{}{} {}{} are wrong: {}, and none of the other {}.",
                     words.starts_with("in all cases but") ? "" : "only ", kind, words,
                     part_in_words(rule, table), count, grouped(rule.all - rule.having));
}

/// What wrong elements share and hold; "" where there is nothing to say but how many there are, and `terse`.
/// Where they are of faults that have nothing in common, each is said by itself.
std::string share(const std::vector<const Seen*>& probes, bool terse) {
  ElementTable table;
  for (const Seen* one : probes) table.append(one->table);
  std::vector<const Comparison*> comparisons;
  comparisons.reserve(probes.size());
  for (const Seen* one : probes) comparisons.push_back(&one->comparison);
  const std::string relation = wrong_values_in_words(comparisons, table);
  // Where one fault explains the probes, no second is looked for in what it leaves.
  const auto rules = terse ? find_rules(table, 1) : find_rules(table);
  if (terse && rules.front().terms.empty() && relation.empty()) return "";
  std::string text;
  ElementTable rest = table;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (i + 1 < rules.size()) {
      text += fmt::format("{} {} elements {}{} are wrong.", i == 0 ? "all" : " So are all",
                          grouped(rule.having), in_words(rule, rest), part_in_words(rule, rest));
      rest = without(rest, rule);
    } else if (i == 0) {
      text = rule_in_words(rule, rest, "elements", terse);
    } else if (rule.wrong > 0) {
      text += " Another fault shows in the rest: " + rule_in_words(rule, rest, "other elements", terse);
    }
  }
  const bool single = rules.size() == 1 && rules.front().wrong == 1;
  return relation.empty() || single ? text : text + ' ' + relation;
}

std::int64_t longest_sum(const std::vector<const Seen*>& probes) {
  std::int64_t longest = 0;
  for (const Seen* one : probes) {
    if (const auto K = one->asked.dims.find("K"); K != one->asked.dims.end())
      longest = std::max(longest, K->second);
  }
  return longest;
}

/// Where no probe that shows single weights is wrong, others are.
std::string sums_in_words(const std::vector<const Seen*>& weights, const std::vector<const Seen*>& sums) {
  const std::string right = fmt::format("All {} probes that show single weights are right.", weights.size());
  std::vector<const Seen*> wrong;
  for (const Seen* one : sums) {
    if (!one->comparison.right()) wrong.push_back(one);
  }
  // Of longer sums it is not known.
  const std::int64_t seen = longest_sum(weights), failed = longest_sum(wrong);
  if (failed <= seen) return right + " Every weight arrives, and only sums are wrong.";
  return fmt::format(
      "{} Their K is at most {}, and the wrong results have K up to {}: either sums are wrong, or weights "
      "further along K.",
      right, grouped(static_cast<std::uint64_t>(seen)), grouped(static_cast<std::uint64_t>(failed)));
}

}  // namespace

std::vector<std::string> diagnose(const Trial& trial, const std::vector<Case>& failing,
                                  const Probing& probing) {
  const KernelTraits traits = traits_of(trial.entry());
  std::vector<Case> asked = probes(trial.operation(), traits);
  const std::size_t plain = asked.size();
  asked.insert(asked.end(), failing.begin(), failing.end());
  auto seen = ask(trial, asked, failing, probing);
  const bool plain_is_wrong = std::any_of(
      seen.begin(), seen.end(), [&](const Seen& one) { return !one.comparison.right() && !one.failing; });
  if (!plain_is_wrong) {
    const auto kinds = probes_of_kinds(trial.operation(), traits);
    asked.insert(asked.begin() + static_cast<std::ptrdiff_t>(plain), kinds.begin(), kinds.end());
    if (!kinds.empty()) seen = ask(trial, asked, failing, probing);
  }
  std::vector<const Seen*> all, weights, sums;
  for (const Seen& one : seen) {
    all.push_back(&one);
    (one.weights ? weights : sums).push_back(&one);
  }
  if (count_wrong(all) == 0) return {};
  std::vector<std::string> findings;
  if (const auto words = explain(trial, all)) findings.push_back(*words);
  const bool explained = !findings.empty();
  const bool of_weights = count_wrong(weights) > 0;
  if (!of_weights && !weights.empty()) {
    findings.push_back(sums_in_words(weights, sums));
  }
  const auto& telling = of_weights ? weights : sums;
  if (const std::string shared = share(telling, explained); !shared.empty()) {
    const std::string& tensor = telling.front()->comparison.tensor;
    const auto count = telling.size() == 1 ? "1 probe" : fmt::format("{} probes", telling.size());
    const auto of =
        of_weights ? fmt::format(", in which each element of {} is one weight", tensor) : " of " + tensor;
    findings.push_back(fmt::format("In {}{}, {}", count, of, shared));
  }
  for (const Case& one : failing) {
    if (probing.before_each) probing.before_each(one);
    const Problem problem =
        one.golden.empty() ? trial.operation().make_problem(one) : problem_of(trial, one, probing).problem;
    if (auto words = finite_neighbours_in_words(trial, problem); !words.empty())
      findings.push_back(std::move(words));
    if (auto words = plain_order_in_words(trial, problem); !words.empty())
      findings.insert(findings.begin(), std::move(words));
  }
  return findings;
}

std::string diagnosis_text(const std::vector<std::string>& findings) {
  if (findings.empty()) return "";
  std::string text = "\n  diagnosis\n";
  for (const std::string& finding : findings) {
    std::string line = "    - ";
    bool empty = true;
    std::istringstream words(finding);
    for (std::string word; words >> word;) {
      if (!empty && line.size() + 1 + word.size() > kWidth) {
        text += line + '\n';
        line = std::string(6, ' ');
        empty = true;
      }
      line += empty ? word : ' ' + word;
      empty = false;
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace assay::properties
