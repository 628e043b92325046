// How far each buffer is touched, as a product of dimensions: from runs in which one of them is another.
#include "harness/draft/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::draft {

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
      if (std::abs(ratio / growth - 1) < 0.06) {
        extents[b].dimensions.insert(d);
      } else if (std::abs(ratio / growth / growth - 1) < 0.06) {
        extents[b].dimensions.insert({d, d});
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
  const double factor = static_cast<double>(reach.elements) / static_cast<double>(extent.unit) / product;
  if (factor > 0.9) {
    extent.times = static_cast<std::size_t>(std::lround(factor));
    extent.known = std::abs(factor / static_cast<double>(extent.times) - 1) < 0.04;
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

MeasuredBuffer Search::buffer_of(const Reach& reach, const Extent& extent) const {
  MeasuredBuffer buffer{extent.touched, reach.loaded, reach.stored, extent.known, {},
                        reach.elements, false,        reach.filled};
  if (!extent.known) return buffer;
  const auto order = in_order(extent.dimensions);
  for (const int d : order) buffer.shape.push_back(all_[static_cast<std::size_t>(d)].name);
  if (extent.per > 1) {
    std::size_t packed = buffer.shape.size() - 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto side = std::find_if(grid_.sides.begin(), grid_.sides.end(),
                                     [&](const Side& one) { return one.dimension == order[i]; });
      if (side == grid_.sides.end()) {
        packed = i;
      } else if (side->per == static_cast<std::int64_t>(extent.per)) {  // a thread for each word
        packed = i;
        break;
      }
    }
    buffer.shape[packed] = fmt::format("ceil({} / {})", buffer.shape[packed], extent.per);
  }
  if (extent.times > 1 || (buffer.shape.empty() && extent.unit == 1))
    buffer.shape.push_back(std::to_string(extent.times));
  if (extent.unit > 1) buffer.shape.push_back(std::to_string(extent.unit));
  return buffer;
}

}  // namespace assay::draft
