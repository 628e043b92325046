#include "harness/run/case_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "harness/run/case_loop.hpp"
#include "harness/run/ordinary_cases.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/length_plan.hpp"
#include "properties/large/product_plan.hpp"
#include "properties/large/shape_cases.hpp"

namespace assay::run {
namespace {

std::string why_planned(const KernelEntry& entry, const properties::Case& test_case) {
  const auto& declaration = properties::operation_of(entry).declaration();
  properties::Coverage shown;
  properties::cover_planned(declaration, test_case, shown);
  properties::cover_lengths(declaration, test_case.dims, shown);
  properties::cover_products(declaration, test_case.dims, shown);
  for (const auto& tag : properties::shape_tags(entry, test_case.dims)) shown.add(tag);
  std::vector<std::string> words;
  for (const auto& [tag, count] : shown.reached()) words.push_back(tag);
  if (!words.empty()) return fmt::format("{}", fmt::join(words, "; "));
  return properties::is_large(declaration, test_case.dims)
             ? "large: indices past widths, or a layer of a model"
             : "planned sizes";
}

}  // namespace

std::string case_list(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  const auto source = cases_of(entry, mode, options);
  const auto ordinary = ordinary_cases(entry, mode, options);
  const std::uint64_t drawn = options.cases_of(mode);
  std::string text = fmt::format("{}, {}: {} cases\n", entry.name, name_of(mode), source.count);
  for (std::uint64_t i = 0; i < source.count; ++i) {
    const auto test_case = source.at(i);
    const auto why = i < drawn ? ordinary.why(options.first_case + i) : why_planned(entry, test_case);
    text += fmt::format("{:>5}  {}  # {}\n", i, properties::to_line(test_case), why);
  }
  return text;
}

std::string sizes_text(const KernelEntry& entry, const VerifyOptions& options) {
  const auto design = design_of_strict_modes(entry, options);
  if (design.cases.empty()) return "";
  return fmt::format(
      "    sizes     {} of {} pairs of classes, {} triples of residues, {} of {} landmarks, {} products, by {} "
      "cases\n",
      grouped(design.pairs), grouped(pairs_that_can_be(entry, design)), grouped(design.triples),
      grouped(design.landmarks), grouped(design.of_landmarks), grouped(design.products),
      grouped(design.cases.size()));
}

}  // namespace assay::run
