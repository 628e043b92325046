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

constexpr std::array<std::pair<int, std::int64_t>, 3> kLengths = {
    {{12, std::int64_t{1} << 12}, {15, std::int64_t{1} << 15}, {16, std::int64_t{1} << 16}}};

class LengthPlanner {
 public:
  LengthPlanner(const KernelEntry& entry, const Operation& operation, const std::vector<Case>& others)
      : declaration_(operation.declaration()), cases_(entry, operation), others_(others) {}

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
      const bool dear = cases_.threads_at(whole->dims) > kMostThreads;
      if (dear && length == kLongLength && is_sampled(one)) continue;
      take(*whole);
      if (dear) continue;
      for (const LongValues& values : *declaration_.lengths) {
        const auto& sizes = values.sizes;
        if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), one.name) == sizes.end()) continue;
        const bool longest = length == kLongLength;
        if (values.at == LongValues::At::both || (values.at == LongValues::At::longest && longest))
          take(with(*whole, values));
        if (values.at == LongValues::At::many_rounds && !longest) take_rounds(*whole, values);
      }
    }
  }

  bool is_sampled(const Dimension& one) const {
    return std::any_of(others_.begin(), others_.end(), [&](const Case& other) {
      return is_large(declaration_, other.dims) && dim(other.dims, one.name) >= kLongLength;
    });
  }

  void take_rounds(const Case& whole, const LongValues& values) {
    Dims dims = whole.dims;
    for (const Dimension& one : declaration_.dimensions)
      if (one.is_choice()) dims[one.name] = cases_.legal(one, one.choices.back());
    if (const auto test_case = cases_.at(dims, kMostElements)) take(with(*test_case, values));
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
