#include "properties/large/length_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "properties/large/large_problem.hpp"
#include "properties/large/moments.hpp"
#include "properties/large/sample.hpp"

namespace assay::properties {
namespace {

/// A size that kernels have ways of their own for, and one past 16 bits that is no multiple of tiles.
constexpr std::int64_t kPopularLength = 4096, kLongLength = (std::int64_t{1} << 16) + 5;

/// Of a case that is run whole: elements of a tensor.
constexpr double kMostElements = 0x1p24;

/// Where floats no longer tell whole numbers apart. Even, so that the last place and the fifth from the end
/// are odd: those that are the first and the last of the largest where values are large at the ends.
constexpr std::int64_t kPastFloats = (std::int64_t{1} << 24) + 1030;
constexpr std::uint64_t kBudgetOfPlaces = 4;

constexpr std::array<std::pair<int, std::int64_t>, 4> kLengths = {{{12, std::int64_t{1} << 12},
                                                                   {15, std::int64_t{1} << 15},
                                                                   {16, std::int64_t{1} << 16},
                                                                   {24, std::int64_t{1} << 24}}};

class LengthPlanner {
 public:
  LengthPlanner(const KernelEntry& entry, const Operation& operation, const std::vector<Case>& others)
      : declaration_(operation.declaration()), cases_(entry, operation), others_(others) {}

  WidthPlan run() {
    if (!declaration_.lengths) return {};
    for (const Dimension& one : declaration_.dimensions) {
      if (one.is_choice()) continue;
      plan(one);
      if (makes_places_along(one)) plan_places(one);
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
      const bool dear = cases_.threads_at(whole->dims) > kMostThreads;
      if (dear && length == kLongLength && is_sampled(one)) continue;
      take(*whole);
      if (dear) continue;
      for (const LongValues& values : *declaration_.lengths) take(with(*whole, values));
    }
  }

  /// Whether a whole number in an output may be a place along the dimension, or how many there are: it is
  /// made of floats along it.
  bool makes_places_along(const Dimension& one) const {
    Dims shorter = cases_.space().nearest({}).dims, longer = shorter;
    longer[one.name] = cases_.legal(one, kPastFloats);
    bool any = false;
    for (const TensorSpec& spec : declaration_.tensors) {
      const bool has_it = spec.shape(shorter) != spec.shape(longer);
      if (spec.role == Role::input && has_it && is_integer(spec.dtype)) return false;
      any |= spec.role != Role::input && !has_it && (spec.dtype == DType::u32 || spec.dtype == DType::i32);
    }
    return any;
  }

  /// With what is largest at the end, and with what is the same everywhere.
  void plan_places(const Dimension& one) {
    const std::int64_t length = cases_.legal(one, kPastFloats);
    const auto large = cases_.at({{one.name, length}}, 2 * kMostElements, kBudgetOfPlaces);
    if (length < kPastFloats || !large || cases_.threads_at(large->dims) > kMostThreads) return;
    for (const LongValues& values : *declaration_.lengths) take(with(*large, values));
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
      if (!cases_.traits().has(spec.name)) continue;
      const auto elements = static_cast<std::size_t>(cases_.elements_of(spec, test_case.dims));
      for (const auto& tag : width_tags(spec.name, elements, assay::size_of(spec.dtype))) shown.add(tag);
    }
    for (const auto& [tag, count] : shown.reached()) wanted_.insert(tag);
    plan_.cases.push_back(std::move(test_case));
  }

  /// The longest legal size up to `length`, or the next above, whose case can be made whole.
  std::optional<Case> longest_whole(const Dimension& one, std::int64_t length) const {
    const std::int64_t least = cases_.legal(one, 1), step = cases_.step_of(one);
    for (std::int64_t most = cases_.legal(one, length); most > least; most = most / 2 / step * step) {
      if (auto test_case = cases_.at({{one.name, most}}, kMostElements)) return test_case;
    }
    return std::nullopt;
  }

  const OperationDeclaration& declaration_;
  CasesOfMoments cases_;
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
