// How far each buffer is touched, as a product of dimensions: from runs in which one of them is another.
#include "harness/draft/search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay::draft {
namespace {

constexpr std::int64_t kTiles = 4;  // along each side of the grid: several, and launches are short

}  // namespace

std::vector<Extent> Search::extents_of(const Reaches& base, const std::set<int>& used, const Run& run) {
  std::vector<Extent> extents(base.size());
  for (std::size_t b = 0; b < base.size(); ++b) extents[b].touched = extents[b].known = base[b].elements > 0;
  for (const int d : used) {
    if (d < 0) continue;
    const auto& one = all_[static_cast<std::size_t>(d)];
    if (one.size == one.other) continue;
    const auto other = run(with_other(d));
    const double growth = static_cast<double>(one.other) / static_cast<double>(one.size);
    for (std::size_t b = 0; b < base.size(); ++b) {
      if (!extents[b].touched) continue;
      if (!other) {
        extents[b].known = false;
        continue;
      }
      const double ratio = static_cast<double>((*other)[b].elements) / static_cast<double>(base[b].elements);
      // As exactly as can be said of a count that may have been rounded up.
      const double step = 0.5 / static_cast<double>(base[b].elements);
      const auto exactly = [&](double expected) { return std::abs(ratio / expected - 1) <= step; };
      extents[b].exact &= exactly(growth) || exactly(growth * growth) || ratio <= 1;
      if (std::abs(ratio / growth - 1) < 0.06) {
        extents[b].dimensions.insert(d);
      } else if (std::abs(ratio / growth / growth - 1) < 0.06) {
        extents[b].dimensions.insert({d, d});
      } else if (std::abs(ratio * growth - 1) < 0.06) {
        extents[b].divisors.insert(d);
      } else if (std::abs(ratio - 1) > 0.02) {
        extents[b].known = false;
      }
    }
  }
  for (std::size_t b = 0; b < base.size(); ++b) find_factor(b, base[b], extents[b]);
  return extents;
}

void Search::find_factor(std::size_t index, const Reach& reach, Extent& extent) const {
  if (!extent.known) return;
  if (index < request_.arguments.size()) extent.unit = request_.arguments[index].unit;
  double product = 1;
  for (const int d : extent.dimensions)
    product *= static_cast<double>(all_[static_cast<std::size_t>(d)].size);
  for (const int d : extent.divisors) product /= static_cast<double>(all_[static_cast<std::size_t>(d)].size);
  extent.known = extent.divisors.empty() || !extent.dimensions.empty();
  if (!extent.known) return;
  const double factor = static_cast<double>(reach.elements) / static_cast<double>(extent.unit) / product;
  if (factor > 0.9) {
    extent.times = static_cast<std::size_t>(std::lround(factor));
    extent.known = std::abs(factor / static_cast<double>(extent.times) - 1) < 0.04;
    extent.exact &= std::abs(factor - static_cast<double>(extent.times)) < 1e-9;
  } else {
    extent.per = static_cast<std::size_t>(std::lround(1 / factor));
    extent.known = extent.per <= 256 && std::abs(1 / factor / static_cast<double>(extent.per) - 1) < 0.1;
  }
  // A constant that is as large as a dimension which has one size is that dimension.
  for (int d = 0; d < count() && extent.known; ++d) {
    const auto& one = all_[static_cast<std::size_t>(d)];
    const auto size = static_cast<std::size_t>(one.size);
    if (one.size != one.other || size < 2 || extent.times % size != 0) continue;
    extent.times /= size;
    extent.dimensions.insert(d);
  }
}

bool Search::explains(const Extent& extent, const Dims& dims, std::size_t elements) const {
  const auto size = [&](int d) { return dims.at(all_[static_cast<std::size_t>(d)].name); };
  std::int64_t divisor = static_cast<std::int64_t>(extent.per);
  for (const int d : extent.divisors) divisor *= size(d);
  const auto is = [&](double expected) {
    return std::abs(static_cast<double>(elements) / expected - 1) < 0.06;
  };
  double whole = static_cast<double>(extent.times * extent.unit);
  for (const int d : extent.dimensions) whole *= static_cast<double>(size(d));
  if (divisor == 1) return is(whole);
  // Which of them is divided, and rounded up, is not known.
  return std::any_of(extent.dimensions.begin(), extent.dimensions.end(), [&](int d) {
    const auto blocks = (size(d) + divisor - 1) / divisor;
    return is(whole / static_cast<double>(size(d)) * static_cast<double>(blocks));
  });
}

void Search::find_tiles(std::vector<Extent>& extents, const std::set<int>& used, const Run& run) {
  const Dims dims = base_;
  const std::vector<MeasuredDimension> all = all_;
  for (const Side& side : grid_.sides) {
    if (side.per == 1 || side.dimension < 0) continue;
    MeasuredDimension& one = all_[static_cast<std::size_t>(side.dimension)];
    if (one.bounded) continue;
    base_[one.name] = one.size = kTiles * side.per;
    one.other = 2 * one.size;
  }
  const auto several = base_ == dims ? std::nullopt : run(base_);
  std::vector<Extent> there;
  for (std::size_t b = 0; several && b < extents.size(); ++b) {
    const std::size_t elements = (*several)[b].elements;
    if (!extents[b].touched || (extents[b].known && explains(extents[b], base_, elements))) continue;
    if (there.empty()) there = extents_of(*several, used, run);
    // At the first sizes there may be less than one tile, and then one is touched all the same.
    if (there[b].known && there[b].exact) extents[b] = there[b];
  }
  base_ = dims;
  all_ = all;
}

void Search::find_hidden_divisors(const Reaches& base, std::vector<Extent>& extents,
                                  const std::set<int>& used, const Run& run) {
  for (const int d : used) {
    if (d < 0) continue;
    MeasuredDimension& one = all_[static_cast<std::size_t>(d)];
    if (one.size == one.other || one.bounded || one.size < 2) continue;
    const MeasuredDimension first = one;
    const Dims dims = base_;
    base_[one.name] = one.size = one.other = 1;
    if (const auto small = run(base_)) {
      std::vector<Extent> there;
      for (std::size_t b = 0; b < extents.size(); ++b) {
        const std::size_t elements = (*small)[b].elements;
        if (!extents[b].known || elements < 3 || explains(extents[b], base_, elements)) continue;
        if (extents[b].dimensions.contains(d) || extents[b].divisors.contains(d)) continue;
        if (static_cast<double>(elements) < 1.5 * static_cast<double>(base[b].elements)) continue;
        if (there.empty()) there = extents_of(*small, used, run);
        Extent divided = there[b];
        divided.divisors.insert(d);
        divided.known = divided.known && divided.exact && !divided.dimensions.empty() &&
                        explains(divided, dims, base[b].elements);
        extents[b] = divided;
      }
    }
    one = first;
    base_ = dims;
  }
}

std::vector<int> Search::in_order(const std::multiset<int>& dimensions) const {
  std::vector<int> order(dimensions.begin(), dimensions.end());
  const auto rank = [&](int d) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (grid_.sides[axis].dimension != d) continue;
      return all_[static_cast<std::size_t>(d)].of_grid ? -static_cast<int>(axis) - 1
             : axis == 0                               ? 5
                                                       : 3 - static_cast<int>(axis);
    }
    return 4;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
  return order;
}

std::optional<std::size_t> Search::only_divided(const Reach& reach, const Extent& extent,
                                                const std::vector<int>& order) const {
  const auto size = [&](int d) { return static_cast<std::size_t>(all_[static_cast<std::size_t>(d)].size); };
  std::size_t divisor = extent.per, whole = extent.times * extent.unit;
  for (const int d : extent.divisors) divisor *= size(d);
  for (const int d : order) whole *= size(d);
  std::optional<std::size_t> only;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t rounded = (size(order[i]) + divisor - 1) / divisor;
    if (whole / size(order[i]) * rounded != reach.elements) continue;
    if (only) return std::nullopt;
    only = i;
  }
  return only;
}

MeasuredBuffer Search::buffer_of(const Reach& reach, const Extent& extent) const {
  MeasuredBuffer buffer{extent.touched, reach.loaded, reach.stored, extent.known, {},
                        reach.elements, false,        false,        false,        reach.filled};
  if (!extent.known) return buffer;
  const auto order = in_order(extent.dimensions);
  for (const int d : order) buffer.shape.push_back(all_[static_cast<std::size_t>(d)].name);
  const auto tile_of = [&](int d) {
    std::size_t per = 1;
    for (const Side& side : grid_.sides) {
      if (side.dimension == d) per = static_cast<std::size_t>(side.per);
    }
    return per;
  };
  std::size_t tiles = 1;  // the product of those of the grid: an element for each threadgroup
  for (const int d : order) tiles *= tile_of(d);
  if (extent.per > 1 && extent.per == tiles && extent.divisors.empty()) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (const std::size_t per = tile_of(order[i]); per > 1)
        buffer.shape[i] = fmt::format("ceil({} / {})", buffer.shape[i], per);
    }
  } else if (!order.empty() && (extent.per > 1 || !extent.divisors.empty())) {
    const auto only = only_divided(reach, extent, order);
    std::size_t packed = only.value_or(buffer.shape.size() - 1);
    for (std::size_t i = 0; !only && i < order.size(); ++i) {
      const auto side = std::find_if(grid_.sides.begin(), grid_.sides.end(),
                                     [&](const Side& one) { return one.dimension == order[i]; });
      if (side == grid_.sides.end()) {
        packed = i;
      } else if (side->per == static_cast<std::int64_t>(extent.per)) {  // a thread for each word
        packed = i;
        break;
      }
    }
    std::vector<std::string> by;
    if (extent.per > 1) by.push_back(std::to_string(extent.per));
    for (const int d : extent.divisors) by.push_back(all_[static_cast<std::size_t>(d)].name);
    std::string divisor = fmt::format("{}", fmt::join(by, " * "));
    if (by.size() > 1) divisor = '(' + divisor + ')';
    buffer.shape[packed] = fmt::format("ceil({} / {})", buffer.shape[packed], divisor);
  }
  if (extent.times > 1 || (buffer.shape.empty() && extent.unit == 1))
    buffer.shape.push_back(std::to_string(extent.times));
  if (extent.unit > 1) buffer.shape.push_back(std::to_string(extent.unit));
  return buffer;
}

}  // namespace assay::draft
