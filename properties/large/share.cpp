#include "properties/large/share.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "harness/verify/launch_sizes.hpp"
#include "properties/cases/axes.hpp"

namespace assay::properties {
namespace {

using Sides = std::array<std::uint32_t, 3>;

/// Steps are looked for up to here: no grid depends on a dimension in longer ones.
constexpr std::int64_t kLongest = std::int64_t{1} << 16;

/// The threadgroups of a launch at these dimensions.
Sides sides_at(const KernelEntry& entry, const Operation& operation, const Dims& dims) {
  Problem problem{.operation = operation.name(), .dims = dims, .inputs = {}, .outputs = {}};
  for (const TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role != Role::input)
      problem.outputs.push_back({spec.name, spec.dtype, spec.shape(dims), spec.optional});
  }
  device::Dispatch launch;
  launch.grid = assay::grid_of(entry, problem);
  launch.grid_in_threads = entry.grid.in_threads;
  launch.threads_per_threadgroup = entry.threads_per_threadgroup;
  const device::Size3 threadgroups = device::threadgroups_of(launch);
  return {threadgroups.x, threadgroups.y, threadgroups.z};
}

/// The step in which a side grows with a dimension, where it is ceil(dimension / step); 0 where it does not
/// depend on it, nothing where it does in another way.
std::optional<std::size_t> step_of(const std::function<std::uint32_t(std::int64_t)>& side,
                                   std::int64_t extent) {
  const std::uint32_t first = side(1);
  std::int64_t same = 1, other = 2;
  while (other <= kLongest && side(other) == first) {
    same = other;
    other *= 2;
  }
  if (other > kLongest) return side(extent) == first ? std::optional<std::size_t>(0) : std::nullopt;
  while (other - same > 1) {
    const std::int64_t middle = same + (other - same) / 2;
    (side(middle) == first ? same : other) = middle;
  }
  for (const std::int64_t value : {std::int64_t{1}, other, 2 * same, 2 * same + 1, extent}) {
    if (side(value) != (value + same - 1) / same) return std::nullopt;
  }
  return static_cast<std::size_t>(same);
}

}  // namespace

std::uint64_t threadgroups_at(const KernelEntry& entry, const Operation& operation, const Dims& dims) {
  const Sides sides = sides_at(entry, operation, dims);
  return std::uint64_t{sides[0]} * sides[1] * sides[2];
}

std::optional<Share> Share::of(const KernelEntry& entry, const Operation& operation, const Dims& dims) try {
  const Sides sides = sides_at(entry, operation, dims);
  Share share;
  share.threadgroups_ = {sides[0], sides[1], sides[2]};
  Dims small = dims;  // a side follows from one size, and the grid of several long ones may be too large
  for (const Dimension& one : operation.declaration().dimensions) {
    if (!one.is_choice()) small[one.name] = one.multiple;
  }
  for (const Dimension& one : operation.declaration().dimensions) {
    if (one.is_choice()) continue;  // as the case has it
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto side = [&](std::int64_t value) {
        Dims other = small;
        other[one.name] = value;
        return sides_at(entry, operation, other)[i];
      };
      const auto step = step_of(side, dim(dims, one.name));
      if (!step || (*step != 0 && !share.cuts_[i].dimension.empty())) return std::nullopt;
      if (*step != 0) share.cuts_[i] = {one.name, *step, extent(dims, one.name)};
    }
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::string& name = share.cuts_[i].dimension;
    const Cut& cut = share.cuts_[i];
    const std::size_t expected = name.empty() ? 1 : (cut.extent + cut.step - 1) / cut.step;
    if (sides[i] != expected || (!name.empty() && !is_free(operation.declaration(), name)))
      return std::nullopt;
    // Where what one threadgroup stores hangs on what others are given, no part stands for itself.
    if (!name.empty() && !find_named(operation.declaration().dimensions, name)->reorders) return std::nullopt;
    for (std::size_t j = 0; j < i && !name.empty(); ++j) {
      if (share.cuts_[j].dimension == name) return std::nullopt;
    }
  }
  return share;
} catch (const ManifestError&) {  // a grid that some of these dimensions do not have
  return std::nullopt;
} catch (const std::invalid_argument&) {  // or a shape
  return std::nullopt;
}

bool Share::cuts(const std::string& dimension) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& cut) { return cut.dimension == dimension; });
}

Part Share::of_threadgroup(const device::Size3& at) const {
  const std::array<std::size_t, 3> position = {at.x, at.y, at.z};
  Part part;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const Cut& cut = cuts_[i];
    if (cut.dimension.empty()) continue;
    part[cut.dimension] = {position[i] * cut.step, std::min((position[i] + 1) * cut.step, cut.extent)};
  }
  return part;
}

device::Size3 Share::storing(const std::map<std::string, std::size_t>& indices) const {
  std::array<std::uint32_t, 3> position{};
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const auto found = indices.find(cuts_[i].dimension);
    if (found != indices.end()) position[i] = static_cast<std::uint32_t>(found->second / cuts_[i].step);
  }
  return {position[0], position[1], position[2]};
}

}  // namespace assay::properties
