#include "properties/diagnosis/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "harness/verify/report.hpp"

namespace assay::properties {
namespace {

/// Of the bits that tell wrong from right elements, what a term must save.
constexpr double kLeastShare = 0.15;

/// Bits that tell which `wrong` of `all` elements are wrong.
double bits_to_tell(std::size_t wrong, std::size_t all) {
  if (wrong == 0 || wrong == all) return 0;
  const double p = static_cast<double>(wrong) / static_cast<double>(all);
  return -static_cast<double>(all) * (p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

struct Counts {
  std::size_t wrong = 0, all = 0;
};

/// Runs of values that a term may have: more are a list, and no cause. Codes may be every other one; those
/// who store lie side by side.
constexpr std::size_t kMostRuns = 8, kMostRunsOfWriters = 2;

/// Runs of values with wrong elements.
std::size_t runs_of(const std::map<std::int64_t, Counts>& counts) {
  std::size_t runs = 0;
  bool in_run = false;
  for (const auto& [value, count] : counts) {
    if (count.wrong > 0 && !in_run) ++runs;
    in_run = count.wrong > 0;
  }
  return runs;
}

/// Bits that say `runs` of the values in `counts`: the ends of each.
double bits_to_say(const std::map<std::int64_t, Counts>& counts, std::size_t runs, std::size_t coordinates) {
  return std::log2(static_cast<double>(coordinates)) +
         2 * static_cast<double>(runs) * std::log2(static_cast<double>(counts.size() + 1));
}

struct Step {
  Condition term;
  std::size_t having = 0;
  double worth = 0;
};

/// The term that is worth most among the elements that are still `in`.
std::optional<Step> best_term(const ElementTable& table, const std::vector<char>& in, std::size_t wrong,
                              std::size_t having) {
  std::optional<Step> best;
  for (std::size_t c = 0; c < table.coordinates.size(); ++c) {
    const auto& of = table.coordinates[c].of;
    std::map<std::int64_t, Counts> counts;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i]) continue;
      Counts& count = counts[of[i]];
      ++count.all;
      count.wrong += table.wrong[i] ? 1 : 0;
    }
    const std::size_t runs = runs_of(counts);
    if (runs > (table.coordinates[c].writer ? kMostRunsOfWriters : kMostRuns)) continue;
    Step step;
    step.term.coordinate = c;
    for (const auto& [value, count] : counts) {
      if (count.wrong == 0) continue;
      step.term.values.push_back(value);
      step.having += count.all;
    }
    step.worth = bits_to_tell(wrong, having) - bits_to_tell(wrong, step.having) -
                 bits_to_say(counts, runs, table.coordinates.size());
    // A coordinate that leaves nearly as much to tell only went along by chance.
    if (step.worth > kLeastShare * bits_to_tell(wrong, having) && (!best || step.worth > best->worth))
      best = step;
  }
  return best;
}

std::string replaced(const std::string& words, const std::string& number) {
  const auto at = words.find("{}");
  return at == std::string::npos ? words : words.substr(0, at) + number + words.substr(at + 2);
}

/// "0-15, 32 or 40-47".
std::string alternatives(const std::vector<std::int64_t>& values) {
  std::string text = assay::ranges({values.begin(), values.end()});
  const auto last = text.rfind(", ");
  if (last == std::string::npos || text.find("...") != std::string::npos) return text;
  return text.replace(last, 2, " or ");
}

constexpr std::string_view kOfCases = "in cases ";

/// The names of a coordinate's values, the words that all of them begin with said once.
std::string joined(const Coordinate& coordinate, const std::set<std::int64_t>& values,
                   const std::string& between) {
  std::string text;
  for (const std::int64_t value : values) {
    const std::string& name = coordinate.names.at(static_cast<std::size_t>(value));
    const bool again = !text.empty() && name.starts_with(kOfCases);
    text += (text.empty() ? "" : between) + (again ? name.substr(kOfCases.size()) : name);
  }
  return text;
}

/// The names of these values, or, where they are most of those that there are, the names of the others.
std::string names_in_words(const Coordinate& coordinate, const std::set<std::int64_t>& values) {
  std::set<std::int64_t> others(coordinate.of.begin(), coordinate.of.end());
  std::erase_if(others, [&](std::int64_t value) { return values.contains(value); });
  const bool but = !others.empty() && values.size() > others.size() && values.size() > 1;
  if (!but) return joined(coordinate, values, " or ");
  const std::string left_out = joined(coordinate, others, " and those ");
  if (!left_out.starts_with(kOfCases)) return "anywhere but " + left_out;
  return "in all cases but those " + left_out.substr(kOfCases.size());
}

}  // namespace

void ElementTable::append(const ElementTable& more) {
  if (wrong.empty()) {
    *this = more;
    return;
  }
  std::vector<Coordinate> common;
  for (Coordinate& mine : coordinates) {
    const auto theirs = std::find_if(more.coordinates.begin(), more.coordinates.end(),
                                     [&](const Coordinate& one) { return one.one == mine.one; });
    if (theirs == more.coordinates.end()) continue;
    mine.of.insert(mine.of.end(), theirs->of.begin(), theirs->of.end());
    common.push_back(std::move(mine));
  }
  coordinates = std::move(common);
  wrong.insert(wrong.end(), more.wrong.begin(), more.wrong.end());
}

Rule find_rule(const ElementTable& table, std::size_t most) {
  Rule rule;
  rule.all = table.wrong.size();
  rule.having = rule.all;
  rule.wrong = static_cast<std::size_t>(std::count(table.wrong.begin(), table.wrong.end(), 1));
  if (rule.wrong == 0) return rule;
  std::vector<char> in(rule.all, 1);
  while (rule.terms.size() < most && rule.having > rule.wrong) {
    const auto step = best_term(table, in, rule.wrong, rule.having);
    if (!step) break;
    const auto& of = table.coordinates[step->term.coordinate].of;
    const auto& values = step->term.values;
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = in[i] && std::binary_search(values.begin(), values.end(), of[i]);
    rule.having = step->having;
    rule.terms.push_back(step->term);
  }
  return rule;
}

namespace {

/// Of what one rule leaves untold, the share that may stay so where several are said in its place.
constexpr double kMostUntold = 0.2;

/// Of the coordinates' values whose elements are all wrong, those of the coordinate that is worth most.
std::optional<Rule> find_part(const ElementTable& table, std::size_t wrong) {
  const std::size_t all = table.wrong.size();
  std::optional<Rule> best;
  double most = kLeastShare * bits_to_tell(wrong, all);
  for (std::size_t c = 0; c < table.coordinates.size(); ++c) {
    std::map<std::int64_t, Counts> counts;
    for (std::size_t i = 0; i < all; ++i) {
      Counts& count = counts[table.coordinates[c].of[i]];
      ++count.all;
      count.wrong += table.wrong[i] ? 1 : 0;
    }
    Rule part;
    part.terms = {{c, {}}};
    part.all = all;
    std::size_t runs = 0;
    bool in_run = false;
    for (const auto& [value, count] : counts) {
      const bool whole = count.wrong == count.all;
      runs += whole && !in_run ? 1 : 0;
      in_run = whole;
      if (!whole) continue;
      part.terms.front().values.push_back(value);
      part.wrong += count.wrong;
    }
    part.having = part.wrong;
    if (part.wrong == 0 || part.wrong == wrong || runs > kMostRuns) continue;
    const double worth = bits_to_tell(wrong, all) - bits_to_tell(wrong - part.wrong, all - part.having) -
                         bits_to_say(counts, runs, table.coordinates.size());
    if (worth <= most) continue;
    most = worth;
    best = std::move(part);
  }
  return best;
}

}  // namespace

ElementTable without(const ElementTable& table, const Rule& rule) {
  ElementTable rest;
  for (const Coordinate& one : table.coordinates)
    rest.coordinates.push_back({one.one, one.many, {}, one.weight, one.names, one.writer});
  for (std::size_t i = 0; i < table.wrong.size(); ++i) {
    const bool has = std::all_of(rule.terms.begin(), rule.terms.end(), [&](const Condition& term) {
      return std::binary_search(term.values.begin(), term.values.end(),
                                table.coordinates[term.coordinate].of[i]);
    });
    if (has) continue;
    rest.wrong.push_back(table.wrong[i]);
    for (std::size_t c = 0; c < rest.coordinates.size(); ++c)
      rest.coordinates[c].of.push_back(table.coordinates[c].of[i]);
  }
  return rest;
}

std::vector<Rule> find_rules(const ElementTable& table, std::size_t most) {
  Rule whole = find_rule(table);
  if (most < 2 || whole.wrong == whole.having) return {whole};
  auto part = find_part(table, whole.wrong);
  if (!part) return {whole};
  std::vector<Rule> rules = {std::move(*part)};
  for (Rule& more : find_rules(without(table, rules.front()), most - 1)) rules.push_back(std::move(more));
  const auto untold = [](const Rule& rule) { return bits_to_tell(rule.wrong, rule.having); };
  return whole.terms.empty() || untold(rules.back()) < kMostUntold * untold(whole) ? rules
                                                                                   : std::vector{whole};
}

std::string in_words(const Coordinate& coordinate, const std::vector<std::int64_t>& values) {
  if (!coordinate.names.empty()) return names_in_words(coordinate, {values.begin(), values.end()});
  return replaced(values.size() == 1 ? coordinate.one : coordinate.many, alternatives(values));
}

std::string in_words(const Rule& rule, const ElementTable& table) {
  std::string text;
  for (std::size_t i = 0; i < rule.terms.size(); ++i) {
    const Condition& term = rule.terms[i];
    if (i > 0) text += i + 1 < rule.terms.size() ? ", " : " and ";
    text += in_words(table.coordinates[term.coordinate], term.values);
  }
  return text;
}

}  // namespace assay::properties
