#include "harness/run/ordinary_cases.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>
#include <vector>

#include "harness/metal/text/landmarks.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"
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
  return metal::landmarks_of(text, metal::outline_of(text.str(), source));
} catch (const std::exception&) {
  return {};
}

/// Those whose cases always run have the first parts of the design: a mode of other arithmetic may compile to
/// the same code as strict arithmetic, and is not run then.
constexpr std::array kOrder = {Mode::fast,        Mode::checked, Mode::contracted, Mode::reassociated,
                               Mode::approximate, Mode::relaxed, Mode::flushed};

bool has_far_sizes(Mode mode, const VerifyOptions& options) {
  return numerics_of(mode) == Numerics::strict || !options.covers(Mode::fast);
}

std::size_t part_of(Mode mode, const VerifyOptions& options) {
  return properties::designed_among(std::min(options.first_case + options.cases_of(mode), kMostDesigned),
                                    has_far_sizes(mode, options));
}

properties::SizeDesign design_of(const KernelEntry& entry, std::size_t most) {
  const auto traits = properties::traits_of(entry);
  return properties::design_sizes(properties::operation_of(entry).cases(traits), traits, landmarks_of(entry),
                                  most);
}

}  // namespace

OrdinaryCases ordinary_cases(const KernelEntry& entry, Mode mode, const VerifyOptions& options) {
  const auto traits = properties::traits_of(entry);
  OrdinaryCases all{
      properties::operation_of(entry).cases(traits), traits, {}, {}, options.seed, !options.laws_alone};
  all.traits.arithmetic = compiled_in(mode, all.traits.arithmetic);
  if (!options.designed || options.laws_alone) return all;
  all.part.far = has_far_sizes(mode, options);
  all.part.beside = !all.part.far;
  for (const Mode before : kOrder) {
    if (before == mode) break;
    if (options.covers(before)) all.part.first += part_of(before, options);
  }
  all.design = design_of(entry, all.part.first + part_of(mode, options));
  return all;
}

properties::SizeDesign design_of_strict_modes(const KernelEntry& entry, const VerifyOptions& options) {
  std::size_t most = 0;
  for (const Mode mode : options.modes) {
    if (numerics_of(mode) == Numerics::strict) most += part_of(mode, options);
  }
  return design_of(entry, most > 0 ? most : part_of(options.modes.front(), options));
}

std::size_t pairs_that_can_be(const KernelEntry& entry, const properties::SizeDesign& design) {
  const auto traits = properties::traits_of(entry);
  return properties::pairs_of_small_cases(properties::operation_of(entry).cases(traits), traits,
                                          landmarks_of(entry), design);
}

bool OrdinaryCases::lends(std::uint64_t index) const {
  return lends_values && index >= kFirstWithPlannedValues &&
         index % kWithPlannedValues == kWithPlannedValues - 1;
}

std::string OrdinaryCases::why(std::uint64_t index) const {
  const auto sizes = design.why_of(index, part);
  return (sizes.empty() ? "drawn sizes" : sizes) + (lends(index) ? "; planned values" : "");
}

properties::Case OrdinaryCases::at(std::uint64_t index) const {
  auto one = index < design.end() ? properties::designed_case(space, seed, index, design.at(index, part))
                                  : properties::case_at(space, seed, index);
  if (design.is_beside(index, part)) space.set_telling(one);
  return lends(index) ? properties::with_planned_values(space.declaration(), traits, std::move(one)) : one;
}

}  // namespace assay::run
