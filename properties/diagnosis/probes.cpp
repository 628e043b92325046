#include "properties/diagnosis/probes.hpp"

#include <algorithm>
#include <optional>

namespace assay::properties {
namespace {

constexpr std::int64_t kLargestProbe = std::int64_t{1} << 21;  // multiply-adds

/// Sizes of probe number `shape` along a dimension with that tile.
std::int64_t size_of_probe(std::size_t shape, std::int64_t tile, bool reduced) {
  const std::int64_t t = tile > 1 ? tile : 16;
  switch (shape) {
    case 0:
      return 2 * t;
    case 1:
      return reduced ? 2 * t + 5 : t + 3;
    case 2:
      return t;
    default:
      return reduced ? 4 * t : t;
  }
}
constexpr std::size_t kShapes = 4;
constexpr std::size_t kSeedsOfKinds = 2;  // with which every kind of a knob is asked for
constexpr std::size_t kChoiceOfShape[kShapes] = {1, 0, 3, 2};

std::optional<Case> case_of_shape(const CaseSpace& space, const KernelTraits& traits, std::size_t shape) {
  Dims wanted;
  for (const Dimension& one : space.declaration().dimensions) {
    const std::int64_t tile = one.tile == nullptr ? 0 : traits.tile.*one.tile;
    wanted[one.name] = one.is_choice() ? one.choices[std::min(kChoiceOfShape[shape], one.choices.size() - 1)]
                                       : size_of_probe(shape, tile, one.reduced);
  }
  Case found = space.nearest(wanted);
  // One product for each size that is summed over, each of three of the sizes at most.
  std::vector<std::int64_t> sizes;
  std::int64_t products = 0;
  for (const Dimension& one : space.declaration().dimensions) {
    if (!one.is_choice()) sizes.push_back(found.dims.at(one.name));
    products += one.reduced ? 1 : 0;
  }
  std::int64_t work = std::max<std::int64_t>(products, 1);
  std::sort(sizes.rbegin(), sizes.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 3); ++i) work *= sizes[i];
  if (work > kLargestProbe) return std::nullopt;
  return found;
}

/// A case of those sizes, with every knob at 0.
Case in_regime(const Case& sizes, const Regime& regime, std::uint64_t seed) {
  Case one = sizes;
  one.regime = regime.name;
  one.knobs.clear();
  one.seed = seed;
  for (const Knob& knob : regime.knobs) one.knobs[knob.name] = 0;
  return one;
}

}  // namespace

std::vector<Case> probes(const Operation& operation, const KernelTraits& traits) {
  const CaseSpace space = operation.cases(traits);
  std::vector<Case> asked;
  for (std::size_t shape = 0; shape < kShapes; ++shape) {
    const auto sizes = case_of_shape(space, traits, shape);
    if (!sizes) continue;
    for (const Regime* regime : space.regimes()) {
      if (!regime->needs.empty()) continue;
      Case one = in_regime(*sizes, *regime, shape + 1);
      asked.push_back(one);
      const bool sees_weights =
          !regime->knobs.empty() && !operation.declaration().tensors.empty() &&
          std::any_of(operation.declaration().tensors.begin(), operation.declaration().tensors.end(),
                      [&, problem = operation.make_problem(one)](const TensorSpec& spec) {
                        return spec.role == Role::output && operation.weights_seen(problem, spec.name);
                      });
      if (!sees_weights) continue;
      for (const Knob& knob : regime->knobs)  // from another place, so that rows and k do not go together
        one.knobs[knob.name] = std::min<std::int64_t>(5, knob.largest(one.dims, traits.arithmetic));
      if (one.knobs != asked.back().knobs) asked.push_back(one);
    }
  }
  return asked;
}

std::vector<Case> probes_of_kinds(const Operation& operation, const KernelTraits& traits) {
  const CaseSpace space = operation.cases(traits);
  std::vector<Case> asked;
  for (std::size_t i = 0; i < kShapes * kSeedsOfKinds; ++i) {
    const auto sizes = case_of_shape(space, traits, i % kShapes);
    if (!sizes) continue;
    for (const Regime* regime : space.regimes()) {
      for (const Knob& knob : regime->knobs) {
        for (std::size_t kind = 0; kind < knob.names.size(); ++kind) {
          asked.push_back(in_regime(*sizes, *regime, i + 1));
          asked.back().knobs[knob.name] = static_cast<std::int64_t>(kind);
        }
      }
    }
  }
  return asked;
}

}  // namespace assay::properties
