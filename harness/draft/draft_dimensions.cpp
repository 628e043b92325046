// Dimensions: which there are, what was told of them, and the sizes that they are measured at.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace assay::draft {
namespace {

/// Sizes that dimensions are measured at, of up to three and of more: they tell dimensions apart, kernels
/// take them, and launches are short.
constexpr std::array<std::int64_t, 3> kSizes = {64, 32, 96};
constexpr std::array<std::int64_t, 8> kManySizes = {8, 4, 16, 8, 6, 12, 2, 10};
constexpr std::int64_t kLargestOfSquares = 256;
/// Of three dimensions and more, the work of a launch is the product: so large is each, and so large each
/// that is a number of threadgroups.
constexpr std::size_t kMany = 3;
constexpr std::int64_t kLargestOfMany = 128, kLargestOfManyGroups = 16;

}  // namespace

DraftDimension* Drafting::find_dimension(const std::string& name) {
  const auto found = std::find_if(draft_.dimensions.begin(), draft_.dimensions.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == draft_.dimensions.end() ? nullptr : &*found;
}

void Drafting::add_dimension(const std::string& name, std::int64_t largest) {
  if (find_dimension(name) != nullptr) return;
  DraftDimension dimension{name, {}, 0};
  const auto asked = told_.dimensions.find(name);
  if (asked != told_.dimensions.end()) dimension.sizes = asked->second;
  dimension.largest = largest;
  draft_.dimensions.push_back(dimension);
}

MeasuredDimension Drafting::sizes_of(const DraftDimension& dimension, std::size_t place) const {
  MeasuredDimension one{dimension.name, 0, 0, false, false};
  one.bounded = !dimension.sizes.values.empty() || dimension.sizes.largest || dimension.sizes.multiple;
  const auto& told = dimension.sizes;
  if (!told.values.empty()) {
    one.size = told.values.front();
    one.other = told.values.size() > 1 ? told.values[1] : one.size;
    return one;
  }
  const bool few = !small_ && draft_.dimensions.size() <= kSizes.size();
  one.size = few ? kSizes[place] : kManySizes[std::min(place, kManySizes.size() - 1)];
  const std::int64_t multiple = told.multiple.value_or(1), least = told.least.value_or(1),
                     largest = told.largest.value_or(1 << 30);
  const auto fitting = [&](std::int64_t size) {
    size = std::max(std::min(size, largest), std::max(least, multiple));
    return size / multiple * multiple;
  };
  one.size = fitting(one.size);
  one.other = fitting(2 * one.size);
  return one;
}

void Drafting::tell_dimensions() {
  for (const auto& [name, sizes] : told_.dimensions) {
    if (known_names_.contains(name) && find_parameter(name) != nullptr &&
        find_parameter(name)->kind == Kind::buffer)
      throw std::invalid_argument(dimension_of_buffer(name));
    add_dimension(name);
  }
  const auto all_of = [&](const std::string& text) {
    for (const auto& name : names_in(text)) add_dimension(name);
  };
  for (const auto& side : told_.grid) all_of(side);
  for (const auto& [name, told] : told_.buffers) {
    for (const auto& axis : told.shape.value_or(std::vector<std::string>{})) all_of(axis);
  }
  for (const auto& [index, bytes] : told_.threadgroup_memory) all_of(bytes);
}

std::string Drafting::dimension_of_buffer(const std::string& name) const {
  std::string text = fmt::format("--dim {0}: {0} is a buffer; --buffer says what it is", name);
  const unsigned axes = axes_of_grid();
  for (unsigned axis = 0; axis < axes && told_.grid.empty(); ++axis) {
    if (spare_names(axes, draft_.in_threads)[axis] != name) continue;
    text += fmt::format("; the free dimension of the grid is called {} here", unknown_name(name));
  }
  return text;
}

void Drafting::keep_squares_small() {
  for (const DraftBuffer& buffer : draft_.buffers) {
    std::multiset<std::string> axes;
    for (const auto& axis : buffer.shape) {
      for (const auto& name : names_in(axis)) axes.insert(name);
    }
    for (const auto& name : axes) {
      DraftDimension* const one = axes.count(name) > 1 ? find_dimension(name) : nullptr;
      if (one != nullptr && one->largest == 0) one->largest = kLargestOfSquares;
    }
  }
}

void Drafting::keep_launches_small() {
  if (draft_.dimensions.size() < kMany) return;
  for (DraftDimension& one : draft_.dimensions) {
    const bool groups = !draft_.in_threads &&
                        std::find(draft_.grid.begin(), draft_.grid.end(), one.name) != draft_.grid.end();
    const std::int64_t most = groups ? kLargestOfManyGroups : kLargestOfMany;
    if (one.largest == 0 || one.largest > most) one.largest = most;
  }
}

}  // namespace assay::draft
