#include "golden/show_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "golden/show_tensor.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/coverage.hpp"

namespace assay::golden {
namespace {

/// What a tag counts: "code 7 at nibble 3" and "bits = 3: index 5 at bit 6" are codes 7 and indices 5,
/// wherever they stand. Nothing where a tag is of no numbered kind.
struct Numbered {
  std::string kind;  ///< "code", "index", "symbol"
  std::uint64_t number = 0;
};

std::optional<Numbered> numbered(const std::string& tag) {
  const auto colon = tag.find(": ");
  const std::size_t begin = colon == std::string::npos ? 0 : colon + 2;
  const auto space = tag.find(' ', begin);
  if (space == std::string::npos) return std::nullopt;
  const auto end = std::min(tag.find(' ', space + 1), tag.size());
  const auto number = whole_number_in(std::string_view(tag).substr(space + 1, end - space - 1));
  if (!number) return std::nullopt;
  return Numbered{tag.substr(begin, space - begin), *number};
}

/// Those that a problem of these dimensions can reach.
std::vector<std::string> reachable_tags(const properties::Operation& operation, const Dims& dims) {
  properties::KernelTraits traits;
  for (const auto& [name, value] : dims) traits.requirements[name].one_of = {value};
  return properties::reachable(operation.wanted_coverage(), traits);
}

}  // namespace

std::string show_weights(const properties::Operation& operation, const OwnTensors& own) {
  std::vector<std::string> dims;
  for (const auto& [name, value] : own.problem.dims) dims.push_back(fmt::format("{}={}", name, value));
  std::string text = fmt::format("\nproblem of {}: {}\n", operation.name(), fmt::join(dims, " "));
  for (const std::string& note : own.notes) text += "  " + note + "\n";

  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> kinds;
  for (const std::string& tag : reachable_tags(operation, own.problem.dims)) {
    if (const auto one = numbered(tag)) kinds[one->kind][one->number];
  }
  properties::Coverage coverage;
  operation.cover(own.problem, coverage);
  std::vector<std::pair<std::string, std::uint64_t>> others;
  for (const auto& [tag, count] : coverage.reached()) {
    if (const auto one = numbered(tag)) {
      kinds[one->kind][one->number] += count;
    } else {
      others.emplace_back(tag, count);
    }
  }
  for (const auto& [kind, counts] : kinds) {
    std::vector<std::pair<std::string, std::uint64_t>> lines;
    if (std::none_of(counts.begin(), counts.end(), [](const auto& one) { return one.second > 0; })) {
      text +=
          fmt::format("  no {} could be counted\n", kind);  // as where a tile of compressed data is damaged
      continue;
    }
    for (const auto& [number, count] : counts) lines.emplace_back(fmt::format("{} {}", kind, number), count);
    text += fmt::format("  how often each {} occurs, as coverage counts\n", kind) + bars(lines);
  }
  if (!others.empty()) text += "  what else occurs\n" + bars(others);
  const auto warnings = operation.warnings(own.problem);
  if (!warnings.empty()) text += fmt::format("  unusual values\n    {}\n", fmt::join(warnings, "\n    "));
  return text;
}

}  // namespace assay::golden
