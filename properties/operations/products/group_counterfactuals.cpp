#include "properties/operations/products/group_counterfactuals.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "reference/groups.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kSmallest = 8;  // group

using Group = std::function<std::size_t(std::size_t k)>;

/// The problem with groups of 8, in which each k has the values of its own group, or of group(k) in `which`.
/// Nothing where that changes nothing.
void add(std::vector<Counterfactual>& found, const Problem& problem, const Grouped& grouped,
         const std::string& which, const std::string& words, const Group& group) {
  const std::size_t N = grouped.N, groups = reference::group_count(grouped.K, grouped.group_size);
  Counterfactual other{which + words, problem};
  other.problem.dims["group_size"] = kSmallest;
  bool differs = false;
  for (Tensor& one : other.problem.inputs) {
    if (std::find(grouped.tensors.begin(), grouped.tensors.end(), one.name) == grouped.tensors.end())
      continue;
    const std::size_t row = N * assay::size_of(one.dtype);
    const Tensor of = std::exchange(
        one, assay::make_tensor(one.name, one.dtype, {reference::group_count(grouped.K, kSmallest), N}));
    for (std::size_t i = 0; i < one.shape[0]; ++i) {
      const std::size_t k = i * kSmallest, own = k / grouped.group_size;
      const std::size_t from = one.name == which ? std::min(group(k), groups - 1) : own;
      std::memcpy(one.data.data() + i * row, of.data.data() + from * row, row);
      differs |= std::memcmp(of.data.data() + from * row, of.data.data() + own * row, row) != 0;
    }
  }
  if (differs) found.push_back(std::move(other));
}

}  // namespace

std::vector<Counterfactual> group_counterfactuals(const Problem& problem, const Grouped& grouped) {
  std::vector<Counterfactual> found;
  const std::size_t size = grouped.group_size;
  for (const std::string& tensor : grouped.tensors) {
    for (const auto& cut : grouped.cuts) {
      if (cut.size == 0) continue;
      add(found, problem, grouped, tensor,
          " were those of the group in which the " + cut.name + " starts (k rounded down to the " + cut.name +
              ")",
          [&](std::size_t k) { return k / cut.size * cut.size / size; });
    }
    add(found, problem, grouped, tensor, " were those of the next group",
        [&](std::size_t k) { return k / size + 1; });
    add(found, problem, grouped, tensor, " were those of the group before",
        [&](std::size_t k) { return k / size - (k >= size ? 1 : 0); });
  }
  return found;
}

}  // namespace assay::properties
