// The cases of a run by number: sizes by design, values drawn from the seed.
#pragma once

#include <cstdint>
#include <string>

#include "harness/run/verifier.hpp"
#include "properties/cases/size_design.hpp"
#include "properties/cases/space.hpp"

namespace assay::run {

/// Cases beside those that are planned for their values. The first walk along the edges of all sizes
/// together, a few are far from the ordinary, and the others have sizes by design (size_design.hpp) for as
/// many as the design has; behind it sizes are drawn. From the hundredth on, one in 25 has values that plans
/// have.
struct OrdinaryCases {
  properties::CaseSpace space;
  properties::KernelTraits traits;
  properties::SizeDesign design;
  properties::DesignPart part;  ///< this mode's part of the design
  std::uint64_t seed = 1;
  bool lends_values = true;

  properties::Case at(std::uint64_t index) const;
  /// What that case is there for, in words.
  std::string why(std::uint64_t index) const;
  /// Whether it has values that plans have.
  bool lends(std::uint64_t index) const;
};

/// Those of a kernel in one mode. The modes of a run share the design of its sizes: strict arithmetic has the
/// first part, checked mode the next. Modes of other arithmetic, beside strict arithmetic, have no sizes far
/// from the ordinary: what goes wrong there does so in any arithmetic. Of laws alone, and where
/// VerifyOptions::designed is not set, all sizes are drawn.
OrdinaryCases ordinary_cases(const KernelEntry& entry, Mode mode, const VerifyOptions& options);

/// What the modes of strict arithmetic, which always run, have of the design together.
properties::SizeDesign design_of_strict_modes(const KernelEntry& entry, const VerifyOptions& options);

/// How many pairs of classes legal small cases of the kernel can have.
std::size_t pairs_that_can_be(const KernelEntry& entry, const properties::SizeDesign& design);

}  // namespace assay::run
