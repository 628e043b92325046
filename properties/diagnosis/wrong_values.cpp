#include "properties/diagnosis/wrong_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace assay::properties {
namespace {

constexpr double kNearlyAll = 0.95;
constexpr std::size_t kValues = 16;    // of a coordinate that is said value by value
constexpr std::size_t kDifferent = 4;  // relations that are said

std::string relation_of(const WrongElement& element) {
  if (element.never_written) return "were never written";
  if (element.undefined) return "hold the value of a lane that took no part";
  if (std::isnan(element.got)) return "hold NaN";
  if (element.got == 0) return "hold 0";
  if (element.got == -element.expected) return "hold the expected value with the wrong sign";
  if (element.expected == 0 || !std::isfinite(element.got) || !std::isfinite(element.expected)) return "";
  const std::string times = fmt::format("{:.3g}", element.got / element.expected);
  return times == "1" ? "are within 0.5 % of the expected value"
                      : fmt::format("hold {} times the expected value", times);
}

using CountsOfTexts = std::map<std::string, std::size_t>;

/// The relation of nearly all, or "".
std::string common(const CountsOfTexts& counts) {
  std::size_t all = 0;
  for (const auto& [words, count] : counts) all += count;
  for (const auto& [words, count] : counts) {
    if (static_cast<double>(count) >= kNearlyAll * static_cast<double>(all)) return words;
  }
  return "";
}

/// "They hold 1." where nearly all hold one value, whatever is expected.
std::string constant_in_words(const std::vector<const Comparison*>& comparisons) {
  std::map<double, std::size_t> counts;
  std::size_t all = 0;
  for (const Comparison* one : comparisons) {
    for (const WrongElement& element : one->wrong) {
      ++all;
      if (!element.never_written && !std::isnan(element.got)) ++counts[element.got];
    }
  }
  for (const auto& [value, count] : counts) {
    if (all > 1 && static_cast<double>(count) >= kNearlyAll * static_cast<double>(all))
      return fmt::format("They hold {:.6g}, whatever is expected.", value);
  }
  return "";
}

}  // namespace

std::string wrong_values_in_words(const std::vector<const Comparison*>& comparisons,
                                  const ElementTable& table) {
  std::vector<std::size_t> at;  // indices of wrong elements in the table
  std::vector<std::string> relation;
  CountsOfTexts all;
  std::size_t before = 0;
  for (const Comparison* one : comparisons) {
    for (const WrongElement& element : one->wrong) {
      at.push_back(before + element.index);
      relation.push_back(relation_of(element));
      ++all[relation.back()];
    }
    before += one->elements;
  }
  if (const std::string words = common(all); !words.empty()) return fmt::format("They {}.", words);
  for (const Coordinate& coordinate : table.coordinates) {
    std::map<std::int64_t, CountsOfTexts> by_value;
    for (std::size_t i = 0; i < at.size() && by_value.size() <= kValues; ++i)
      ++by_value[coordinate.of[at[i]]][relation[i]];
    if (by_value.size() < 2 || by_value.size() > kValues) continue;
    std::map<std::string, std::vector<std::int64_t>> values;
    for (const auto& [value, counts] : by_value) values[common(counts)].push_back(value);
    if (values.contains("") || values.size() > kDifferent) continue;
    std::string text;
    std::size_t left = values.size();
    for (const auto& [words, of] : values) {
      text += fmt::format("{}hose {} {}",
                          text.empty() ? "T"
                          : left == 1  ? ", and t"
                                       : ", t",
                          in_words(coordinate, of), words);
      --left;
    }
    return text + '.';
  }
  return constant_in_words(comparisons);
}

}  // namespace assay::properties
