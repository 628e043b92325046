#include "harness/run/ordinary_cases.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "harness/metal/landmarks.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/preprocess.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/values_plan.hpp"

namespace assay::run {
namespace {

constexpr std::uint64_t kFirstWithPlannedValues = 100, kWithPlannedValues = 25;
/// Behind so many, all that is worth a case has one.
constexpr std::uint64_t kMostDesigned = 2000;

/// None of what is no Metal text, or none that Assay can read: another device may.
std::vector<std::int64_t> landmarks_of(const KernelEntry& entry) try {
  const auto source = entry.kernel_source();
  const auto text = metal::tokenize(metal::preprocess(source), source.path.string());
  return metal::landmarks_of(text, metal::live_tokens(text, {source.function, source.function_constants}));
} catch (const std::exception&) {
  return {};
}

}  // namespace

OrdinaryCases ordinary_cases(const KernelEntry& entry, const VerifyOptions& options) {
  const auto traits = properties::traits_of(entry);
  OrdinaryCases all{
      properties::operation_of(entry).cases(traits), traits, {}, options.seed, !options.laws_alone};
  if (options.designed && !options.laws_alone) {
    const auto most = properties::designed_among(std::min(options.first_case + options.cases, kMostDesigned));
    all.design = properties::design_sizes(all.space, traits, landmarks_of(entry), most);
  }
  return all;
}

bool OrdinaryCases::lends(std::uint64_t index) const {
  return lends_values && index >= kFirstWithPlannedValues &&
         index % kWithPlannedValues == kWithPlannedValues - 1;
}

std::string OrdinaryCases::why(std::uint64_t index) const {
  const auto sizes = design.why_of(index);
  return (sizes.empty() ? "drawn sizes" : sizes) + (lends(index) ? "; planned values" : "");
}

properties::Case OrdinaryCases::at(std::uint64_t index) const {
  auto one = index < design.end() ? properties::designed_case(space, seed, index, design.at(index))
                                  : properties::case_at(space, seed, index);
  return lends(index) ? properties::with_planned_values(space.declaration(), traits, std::move(one)) : one;
}

}  // namespace assay::run
