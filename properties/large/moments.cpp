#include "properties/large/moments.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "harness/verify/texture_argument.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {
namespace {

/// Steps of threads that each loop along one side of a square, as those of a product of squares do.
constexpr double kMostSteps = 0x1p26;

}  // namespace

CasesOfMoments::CasesOfMoments(const KernelEntry& entry, const Operation& operation)
    : entry_(entry),
      operation_(operation),
      declaration_(operation.declaration()),
      traits_(traits_of(entry)),
      space_(operation.cases(traits_)) {}

std::int64_t CasesOfMoments::step_of(const Dimension& one) const {
  const auto found = traits_.requirements.find(one.name);
  const std::int64_t asked = found == traits_.requirements.end() ? 1 : found->second.multiple;
  return std::lcm(one.multiple, std::max<std::int64_t>(asked, 1));
}

std::int64_t CasesOfMoments::legal(const Dimension& one, std::int64_t value) const {
  const std::int64_t step = step_of(one), least = space_.nearest({}).dims.at(one.name);
  return std::clamp((value + step - 1) / step * step, least,
                    std::max(least, space_.largest(one.name) / step * step));
}

std::optional<Case> CasesOfMoments::at(const Dims& dims, double most_elements) const {
  Dims all = space_.nearest({}).dims;
  for (const auto& [name, value] : dims) all[name] = value;
  auto test_case = space_.at(all);
  if (!test_case || is_large(declaration_, all) || !can_launch(all)) return std::nullopt;
  for (const Dimension& one : declaration_.dimensions) {
    if (dims.contains(one.name) && one.power > 1 &&
        threads_at(all) * static_cast<double>(all.at(one.name)) > kMostSteps)
      return std::nullopt;
  }
  for (const TensorSpec& spec : declaration_.tensors) {
    if (elements_of(spec, all) > most_elements) return std::nullopt;
  }
  return test_case;
}

double CasesOfMoments::elements_of(const TensorSpec& spec, const Dims& dims) const {
  double elements = 1;
  for (const std::size_t side : spec.shape(dims)) elements *= static_cast<double>(side);
  return elements;
}

double CasesOfMoments::threads_at(const Dims& dims) const {
  return static_cast<double>(threadgroups_at(entry_, operation_, dims)) *
         static_cast<double>(traits_.threads);
}

bool CasesOfMoments::can_launch(const Dims& dims) const {
  try {
    for (std::size_t i = 0; i < entry_.textures.size(); ++i) {
      if (!entry_.textures[i]) continue;
      const TensorSpec& spec = *find_named(declaration_.tensors, entry_.textures[i]->tensor);
      texture_shape(entry_, i, spec.dtype, spec.shape(dims));
    }
    return threadgroups_at(entry_, operation_, dims) > 0;
  } catch (const ManifestError&) {
    return false;
  }
}

}  // namespace assay::properties
