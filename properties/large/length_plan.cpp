#include "properties/large/length_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "harness/verify/manifest.hpp"
#include "harness/verify/texture_argument.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {
namespace {

/// A size that kernels have ways of their own for, and one past 16 bits that is no multiple of tiles.
constexpr std::int64_t kPopularLength = 4096, kLongLength = (std::int64_t{1} << 16) + 5;

/// Of a case that is run whole: elements of a tensor, and threads that are launched.
constexpr double kMostElements = 0x1p24, kMostThreads = 0x1p21;
/// And steps of threads that each loop along one side of a square, as those of a product of squares do.
constexpr double kMostSteps = 0x1p26;

constexpr std::array<std::pair<int, std::int64_t>, 3> kLengths = {
    {{12, std::int64_t{1} << 12}, {15, std::int64_t{1} << 15}, {16, std::int64_t{1} << 16}}};

class LengthPlanner {
 public:
  LengthPlanner(const KernelEntry& entry, const Operation& operation, const std::vector<Case>& others)
      : entry_(entry),
        operation_(operation),
        declaration_(operation.declaration()),
        traits_(traits_of(entry)),
        space_(operation.cases(traits_)),
        others_(others) {}

  WidthPlan run() {
    if (!declaration_.lengths) return {};
    for (const Dimension& one : declaration_.dimensions) {
      if (!one.is_choice()) plan(one);
    }
    plan_.wanted.assign(wanted_.begin(), wanted_.end());
    return std::move(plan_);
  }

 private:
  void plan(const Dimension& one) {
    for (const std::int64_t length : {kPopularLength, kLongLength}) {
      const auto whole = longest_whole(one, length);
      if (!whole) continue;
      // Where each would take seconds, a sample will do, or else the one that shows most.
      const bool dear = threads_at(whole->dims) > kMostThreads;
      if (dear && length == kLongLength && is_sampled(one)) continue;
      take(*whole);
      if (dear) continue;
      for (const LongValues& values : *declaration_.lengths) take(with(*whole, values));
    }
  }

  bool is_sampled(const Dimension& one) const {
    return std::any_of(others_.begin(), others_.end(), [&](const Case& other) {
      return is_large(declaration_, other.dims) && dim(other.dims, one.name) >= kLongLength;
    });
  }

  static Case with(Case test_case, const LongValues& values) {
    test_case.regime = values.regime;
    test_case.knobs = {{"value", values.knob}};
    return test_case;
  }

  void take(Case test_case) {
    // Sizes that are run whole have other values each: what draws them may leave the ends alone.
    test_case.seed = 1;
    for (const auto& [name, value] : test_case.dims) test_case.seed += static_cast<std::uint64_t>(value);
    if (std::find(plan_.cases.begin(), plan_.cases.end(), test_case) != plan_.cases.end()) return;
    Coverage shown;
    cover_lengths(declaration_, test_case.dims, shown);
    for (const TensorSpec& spec : declaration_.tensors) {
      if (!traits_.has(spec.name)) continue;
      const auto elements = static_cast<std::size_t>(elements_of(spec, test_case.dims));
      for (const auto& tag : width_tags(spec.name, elements, assay::size_of(spec.dtype))) shown.add(tag);
    }
    for (const auto& [tag, count] : shown.reached()) wanted_.insert(tag);
    plan_.cases.push_back(std::move(test_case));
  }

  static double elements_of(const TensorSpec& spec, const Dims& dims) {
    double elements = 1;
    for (const std::size_t side : spec.shape(dims)) elements *= static_cast<double>(side);
    return elements;
  }

  double threads_at(const Dims& dims) const {
    return static_cast<double>(threadgroups_at(entry_, operation_, dims)) *
           static_cast<double>(traits_.threads);
  }

  /// The longest legal size up to `length`, or the next above, whose case can be made whole.
  std::optional<Case> longest_whole(const Dimension& one, std::int64_t length) const {
    Dims dims = space_.nearest({}).dims;
    const std::int64_t least = dims.at(one.name), step = step_of(one);
    std::int64_t most = std::min((length + step - 1) / step * step, space_.largest(one.name) / step * step);
    for (; most > least; most = most / 2 / step * step) {
      dims[one.name] = most;
      auto test_case = space_.at(dims);
      if (!test_case || is_large(declaration_, dims) || !can_launch(dims)) continue;
      if (one.power > 1 && threads_at(dims) * static_cast<double>(most) > kMostSteps) continue;
      double elements = 0;
      for (const TensorSpec& spec : declaration_.tensors)
        elements = std::max(elements, elements_of(spec, dims));
      if (elements <= kMostElements) return test_case;
    }
    return std::nullopt;
  }

  bool can_launch(const Dims& dims) const {
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

  std::int64_t step_of(const Dimension& one) const {
    const auto found = traits_.requirements.find(one.name);
    const std::int64_t asked = found == traits_.requirements.end() ? 1 : found->second.multiple;
    return std::lcm(one.multiple, std::max<std::int64_t>(asked, 1));
  }

  const KernelEntry& entry_;
  const Operation& operation_;
  const OperationDeclaration& declaration_;
  KernelTraits traits_;
  CaseSpace space_;
  const std::vector<Case>& others_;
  std::set<std::string> wanted_;
  WidthPlan plan_;
};

}  // namespace

WidthPlan plan_lengths(const KernelEntry& entry, const Operation& operation,
                       const std::vector<Case>& others) {
  return LengthPlanner(entry, operation, others).run();
}

void cover_lengths(const OperationDeclaration& declaration, const Dims& dims, Coverage& coverage) {
  if (!declaration.lengths) return;
  for (const Dimension& one : declaration.dimensions) {
    if (one.is_choice()) continue;
    const std::int64_t value = dim(dims, one.name);
    if (value == kPopularLength) coverage.add(one.name + " = 4,096");
    for (const auto& [bits, length] : kLengths) {
      if (value > length) coverage.add(fmt::format("{} past 2^{}", one.name, bits));
    }
  }
}

}  // namespace assay::properties
