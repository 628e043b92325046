#include "properties/large/width_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "properties/large/large_problem.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/share.hpp"
#include "properties/large/whole.hpp"

namespace assay::properties {
namespace {

/// Sizes beside the long one, reduced ones and others: two K tiles and some, so that threadgroups have little
/// to do, and a few rows; as few as can be; longer rows, where a grid may not have as many as it would take
/// otherwise; and sums that are short beside them, so that stacks of products grow faster than their factors.
constexpr std::array<std::array<std::int64_t, 2>, 4> kBeside = {{{72, 9}, {1, 1}, {72, 264}, {9, 40}}};

/// The same of compressed data, whose length is any number, so that whole pages of it are filled after
/// thousands of repetitions: a little of it.
constexpr std::array<std::array<std::int64_t, 2>, 4> kBesideCompressed = {{{9, 9}, {1, 1}, {1, 1}, {1, 1}}};

/// Matrices that are stacked: each is small then beside a few. With many more, more widths would be within
/// reach, at a cost.
constexpr std::int64_t kStacked = 16;

/// How far past a width the long size goes, so that it is not a multiple of tiles.
constexpr std::int64_t kPast = 5;

/// Of a tensor of a case that is not large and so is made as a whole.
constexpr std::size_t kMostMadeBytes = std::size_t{256} << 20;

/// A sample of fewer threadgroups leaves out narrower widths where there are wider ones.
constexpr std::size_t kEnoughForAll = 32;

/// A threadgroup that sums over more than this would take seconds, or works through more rows than these.
constexpr std::int64_t kLongestSum = std::int64_t{1} << 18, kLongestLoop = std::int64_t{1} << 14;

class Planner {
 public:
  Planner(const KernelEntry& entry, const Operation& operation, std::size_t largest_buffer,
          std::int64_t most_work)
      : entry_(entry),
        operation_(operation),
        declaration_(operation.declaration()),
        traits_(traits_of(entry)),
        space_(operation.cases(traits_)),
        largest_buffer_(largest_buffer),
        most_work_(most_work) {}

  WidthPlan run() {
    if (!can_be_sampled()) return {};
    // The widest come last: a fault that a shorter size shows is reported with that.
    for (const bool widest : {false, true}) {
      for (const TensorSpec& spec : declaration_.tensors) {
        if (traits_.has(spec.name)) plan(spec, widest);
      }
    }
    for (const auto& [tag, size] : plan_.dear) {
      if (!entry_.stated) plan_.wanted.push_back(tag);
    }
    return std::move(plan_);
  }

 private:
  /// Past 31 bits of elements, and 32 of bytes: few tensors are so long, so these are asked for only where
  /// that takes moments. Or past the widths that all are asked for.
  void plan(const TensorSpec& spec, bool widest) {
    const std::size_t bytes = assay::size_of(spec.dtype);
    for (auto bits = std::rbegin(kWidthBits); bits != std::rend(kWidthBits); ++bits) {
      // In bytes a width is gone past before it is in elements.
      const std::size_t in_bytes = (std::size_t{1} << *bits) / bytes;
      for (const std::size_t past : {std::size_t{1} << *bits, in_bytes}) {
        if (past == 0 || past > std::numeric_limits<std::uint32_t>::max()) continue;
        if (widest != (*bits > 31 || (*bits == 31 && past != in_bytes))) continue;
        const auto tags = width_tags(spec.name, past + 1, bytes);
        if (tags.empty() || reached_.contains(tags.back())) continue;
        const auto found = case_past(spec, past);
        if (widest && (!found || sample_size(operation_, *found, *share_) < kEnoughForAll)) continue;
        if (!found) {
          const auto dear = cheapest_possible(spec, past);
          for (const auto& tag : tags) {
            if (dear && !reached_.contains(tag)) plan_.dear.emplace(tag, *dear);
          }
          continue;
        }
        if (work_of_threadgroup(operation_, found->dims, *share_) <= most_work_) take(*found);
      }
    }
  }

  bool can_be_sampled() const { return operation_.can_repeat() && share_.has_value(); }

  std::int64_t affordable(const Dimension& one) const {
    if (one.reduced) return kLongestSum;
    return share_->cuts(one.name) ? std::numeric_limits<std::int64_t>::max() : kLongestLoop;
  }

  void take(Case test_case) {
    if (test_case.regime != "exact") space_.set_regime(test_case, "random");
    plan_.cases.push_back(test_case);
    for (const TensorSpec& spec : declaration_.tensors) {
      if (!traits_.has(spec.name)) continue;
      for (const auto& tag :
           width_tags(spec.name, elements_at(spec, test_case.dims), assay::size_of(spec.dtype))) {
        plan_.dear.erase(tag);
        if (reached_.insert(tag).second) plan_.wanted.push_back(tag);
      }
    }
  }

  std::size_t elements_at(const TensorSpec& spec, Dims dims) const {
    for (const Count& count : declaration_.counts) {
      if (count.tensor == spec.name) return counted_at(count, dims);
      dims[count.name] = 1;
    }
    std::size_t elements = 1;
    for (const std::size_t side : spec.shape(dims)) {
      if (__builtin_mul_overflow(elements, side, &elements)) return std::numeric_limits<std::size_t>::max();
    }
    return elements;
  }

  /// As many as a buffer holds. Where a scalar of 32 bits says how many, as it can say; and of an operation
  /// that a manifest states, as 32 bits count: more are more than its kernel has promised to take.
  std::size_t most_elements(const TensorSpec& spec) const {
    const std::size_t held = largest_buffer_ / assay::size_of(spec.dtype);
    const bool counted = std::any_of(declaration_.counts.begin(), declaration_.counts.end(),
                                     [&](const Count& count) { return count.tensor == spec.name; });
    return counted || entry_.stated ? std::min<std::size_t>(held, std::numeric_limits<std::uint32_t>::max())
                                    : held;
  }

  /// How long compressed data becomes, at least: as often as long as that of the problem that is repeated. 0
  /// where there is none and it would have to be compressed as a whole.
  std::size_t counted_at(const Count& count, const Dims& dims) const {
    Dims even = dims;
    for (const Dimension& one : declaration_.dimensions) {
      if (!one.hidden) continue;
      const std::int64_t step = operation_.repeats_for(dims, one.name);
      even[one.name] = (dim(dims, one.name) + step - 1) / step * step;
    }
    const Dims small = operation_.repeats(even);
    double times = 1;
    for (const Dimension& one : declaration_.dimensions) {
      if (!one.hidden) continue;
      times *= static_cast<double>(dim(dims, one.name)) / static_cast<double>(dim(small, one.name));
    }
    // A piece of the last may be of smaller tiles than others.
    if (times > 1) times = std::floor(times);
    const auto known = compressed_.find(small);
    if (known != compressed_.end())
      return static_cast<std::size_t>(times * static_cast<double>(known->second));
    std::size_t elements = 0;
    if (auto test_case = space_.at(small); test_case && !is_large(declaration_, small)) {
      if (test_case->regime != "exact") space_.set_regime(*test_case, "random");
      elements = input(operation_.make_problem(*test_case), count.tensor).element_count();
    }
    compressed_[small] = elements;
    return static_cast<std::size_t>(times * static_cast<double>(elements));
  }

  Dims beside(const std::array<std::int64_t, 2>& sizes) const {
    Dims dims;
    for (const Dimension& one : declaration_.dimensions) {
      if (!one.is_choice()) dims[one.name] = legal(one, sizes[one.reduced ? 0 : 1]);
      // One token goes to the first of them, and one to the last.
      const bool tokens = one.name == declaration_.layer.tokens && !declaration_.layer.experts.empty();
      if (tokens) dims[one.name] = legal(one, 2);
      if (one.stacks) dims[one.name] = legal_stack(one.name);
    }
    return dims;
  }

  std::int64_t legal_stack(const std::string& name) const {
    const auto found = space_.at({{name, kStacked}});
    return (found ? *found : space_.nearest({{name, kStacked}})).dims.at(name);
  }

  /// The elements that lie before the last of matrices that are stacked, or all where none are: where that
  /// one begins is an index of its own.
  std::size_t begins_at(const TensorSpec& spec, Dims dims) const {
    for (const Dimension& one : declaration_.dimensions) {
      std::int64_t& value = dims.at(one.name);
      if (one.stacks && value > 1) --value;
    }
    return elements_at(spec, dims);
  }

  /// The choices of the cases that are planned.
  Dims choices() const {
    Dims dims = space_.nearest({}).dims;
    std::erase_if(
        dims, [&](const auto& one) { return !find_named(declaration_.dimensions, one.first)->is_choice(); });
    return dims;
  }

  /// The next legal value, or else the largest.
  std::int64_t legal(const Dimension& one, std::int64_t value) const {
    const auto requirement = traits_.requirements.find(one.name);
    std::int64_t step = one.multiple;
    value = std::max(value, one.least);
    if (one.hidden) step = std::lcm(step, operation_.repeats_for(choices(), one.name));
    if (requirement != traits_.requirements.end()) {
      step = std::lcm(step, std::max<std::int64_t>(requirement->second.multiple, 1));
      value = std::max(value, requirement->second.min.value_or(1));
    }
    value = (value + step - 1) / step * step;
    return std::min(value, space_.largest(one.name) / step * step);
  }

  /// The cheapest case in which the tensor has more elements than `past`: one long size, one that is not
  /// summed over if that will do.
  std::optional<Case> case_past(const TensorSpec& spec, std::size_t past) const {
    std::optional<Case> best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& sizes : sizes_beside()) {
      for (const Dimension& one : declaration_.dimensions) {
        if (one.is_choice()) continue;
        const std::int64_t longest = space_.largest(one.name);
        const auto found = with_long(spec, past, one, std::min(longest, affordable(one)), sizes);
        if (!found) continue;
        std::int64_t cost = 1;
        for (const Dimension& size : declaration_.dimensions) {
          if (!size.is_choice() && !share_->cuts(size.name)) cost *= dim(found->dims, size.name);
        }
        // Long sums over a hidden size end in the output; those before it may be more than a half holds.
        if (one.reduced && !declaration_.layer.hidden.empty() && one.name != declaration_.layer.hidden)
          cost *= 2;
        if (cost < least) {
          least = cost;
          best = found;
        }
      }
      if (best) break;
    }
    return best;
  }

  const std::array<std::array<std::int64_t, 2>, 4>& sizes_beside() const {
    return declaration_.counts.empty() ? kBeside : kBesideCompressed;
  }

  std::optional<Case> with_long(const TensorSpec& spec, std::size_t past, const Dimension& one,
                                std::int64_t most, const std::array<std::int64_t, 2>& sizes) const {
    Dims dims = beside(sizes);
    const auto enough = [&](std::int64_t value) {
      dims[one.name] = legal(one, value);  // shapes of others may be no whole numbers
      Dims all = space_.nearest(dims).dims;
      for (const auto& [name, size] : dims) all[name] = size;
      return begins_at(spec, all) > past;
    };
    if (!enough(most)) return std::nullopt;
    std::int64_t low = 0, high = most;  // not enough, enough
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (enough(middle) ? high : low) = middle;
    }
    dims[one.name] = legal(one, std::min(high + kPast, most));
    auto test_case = space_.at(dims);
    if (!test_case) return std::nullopt;
    const bool large = is_large(declaration_, test_case->dims);
    for (const TensorSpec& other : declaration_.tensors) {
      const std::size_t allowed = large ? most_elements(other) : kMostMadeBytes / assay::size_of(other.dtype);
      if (elements_at(other, test_case->dims) > allowed) return std::nullopt;
    }
    if (large &&
        (!can_make_large(operation_, test_case->dims) || !Share::of(entry_, operation_, test_case->dims)))
      return std::nullopt;
    return test_case;
  }

  /// The size that leads there, in buffers and a grid that there may be, whatever it costs.
  std::optional<DearSize> cheapest_possible(const TensorSpec& spec, std::size_t past) const {
    for (const auto& sizes : sizes_beside()) {
      for (const Dimension& one : declaration_.dimensions) {
        if (one.is_choice()) continue;
        if (const auto found = with_long(spec, past, one, space_.largest(one.name), sizes))
          return DearSize{one.name, dim(found->dims, one.name)};
      }
    }
    return std::nullopt;
  }

  const KernelEntry& entry_;
  const Operation& operation_;
  const OperationDeclaration& declaration_;
  KernelTraits traits_;
  CaseSpace space_;
  std::optional<Share> share_ = Share::of(entry_, operation_, space_.nearest({}).dims);
  std::size_t largest_buffer_;
  std::int64_t most_work_;
  mutable std::map<Dims, std::size_t> compressed_;
  std::set<std::string> reached_;
  WidthPlan plan_;
};

}  // namespace

WidthPlan plan_widths(const KernelEntry& entry, const Operation& operation, std::size_t largest_buffer,
                      std::int64_t most_work) {
  return Planner(entry, operation, largest_buffer, most_work).run();
}

WidthPlan plan_long_sizes(const KernelEntry& entry, const Operation& operation) {
  const OperationDeclaration& declaration = operation.declaration();
  if (!declaration.long_sizes) return {};
  const KernelTraits traits = traits_of(entry);
  const CaseSpace space = operation.cases(traits);
  WidthPlan plan;
  std::set<std::string> wanted;
  for (const Dims& dims : declaration.long_sizes(traits.tile)) {
    auto test_case = space.at(dims);
    if (!test_case || is_large(declaration, test_case->dims)) continue;
    test_case->seed = 1;  // a schedule in which threadgroups are in flight together
    plan.cases.push_back(*test_case);
    for (const TensorSpec& spec : declaration.tensors) {
      if (!traits.has(spec.name)) continue;
      const auto shape = spec.shape(test_case->dims);
      const std::size_t elements =
          std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies{});
      for (auto& tag : width_tags(spec.name, elements, assay::size_of(spec.dtype)))
        wanted.insert(std::move(tag));
    }
  }
  plan.wanted.assign(wanted.begin(), wanted.end());
  return plan;
}

}  // namespace assay::properties
