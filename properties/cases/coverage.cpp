#include "properties/cases/coverage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "harness/verify/compare.hpp"

namespace assay::properties {
namespace {

void cover_landmark(const std::string& size, std::int64_t value, const std::string& name,
                    std::int64_t landmark, Coverage& coverage) {
  if (landmark < 1) return;
  const auto tag = [&](const char* relation, const char* offset) {
    coverage.add(fmt::format("{} {} {}{}", size, relation, name, offset));
  };
  if (value == landmark - 1) tag("=", " - 1");
  if (value == landmark) tag("=", "");
  if (value == landmark + 1) tag("=", " + 1");
  if (value > 2 * landmark) tag("> 2", "");
  if (value % landmark != 0) coverage.add(fmt::format("{} % {} != 0", size, name));
}

/// How `parallel` slices share the K tiles (docs/operations.md, "Striped product").
void cover_slices(const Tile& tile, const Dims& dims, Coverage& coverage) {
  if (!dims.contains("parallel") || !dims.contains("K") || tile.k < 1) return;
  const std::int64_t slices = dim(dims, "parallel"), tiles = (dim(dims, "K") + tile.k - 1) / tile.k;
  const std::int64_t of_slice = (tiles + slices - 1) / slices, used = (tiles + of_slice - 1) / of_slice;
  if (slices == 1) coverage.add("one slice");
  if (slices > 1 && used > 1) coverage.add("several slices of K");
  if (used < slices) coverage.add("slice without a K tile");
  if (used > 1 && tiles % of_slice != 0) coverage.add("last slice shorter than the others");
  if (slices > 1 && of_slice > 1) coverage.add("slice of several K tiles");
}

/// How many elements of a tensor of floating-point numbers are special.
struct Specials {
  std::uint64_t nan = 0, infinity = 0, minus_infinity = 0, zero = 0, minus_zero = 0, subnormal = 0,
                largest = 0;

  void add_to(const std::string& tensor, Coverage& coverage) const {
    const std::pair<const char*, std::uint64_t> counts[] = {
        {"NaN", nan},       {"infinity", infinity},   {"-infinity", minus_infinity}, {"0", zero},
        {"-0", minus_zero}, {"subnormal", subnormal}, {"largest finite", largest}};
    for (const auto& [what, count] : counts) coverage.add(fmt::format("{}: {}", tensor, what), count);
  }
};

/// Of bit patterns, where those of infinity and of the smallest normal number are these.
template <class Bits>
Specials count_specials(std::span<const Bits> patterns, Bits infinity, Bits smallest_normal) {
  Specials seen;
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max() >> 1;
  for (const Bits pattern : patterns) {
    const Bits magnitude = pattern & kMagnitude;
    // Almost all are none of these.
    if (magnitude >= smallest_normal && magnitude < infinity - 1) continue;
    const bool negative = pattern != magnitude;
    if (magnitude > infinity) ++seen.nan;
    if (magnitude == infinity) ++(negative ? seen.minus_infinity : seen.infinity);
    if (magnitude == infinity - 1) ++seen.largest;
    if (magnitude == 0) ++(negative ? seen.minus_zero : seen.zero);
    if (magnitude > 0 && magnitude < smallest_normal) ++seen.subnormal;
  }
  return seen;
}

}  // namespace

void Coverage::merge(const Coverage& other) {
  for (const auto& [tag, count] : other.reached_) add(tag, count);
}

std::vector<std::string> Coverage::missing(const std::vector<std::string>& wanted) const {
  std::vector<std::string> absent;
  for (const std::string& tag : wanted) {
    if (!has(tag)) absent.push_back(tag);
  }
  return absent;
}

std::vector<std::string> reachable(std::vector<std::string> tags, const KernelTraits& traits) {
  constexpr std::string_view kGiven = "given ";
  std::erase_if(tags, [&](const std::string& tag) {
    if (tag.starts_with(kGiven)) return !traits.has(tag.substr(kGiven.size(), tag.find(':') - kGiven.size()));
    const auto equals = tag.find(" = "), colon = tag.find(": ");
    if (equals == std::string::npos || colon == std::string::npos || colon < equals) return false;
    const auto requirement = traits.requirements.find(tag.substr(0, equals));
    return requirement != traits.requirements.end() &&
           !requirement->second.allows(std::stoll(tag.substr(equals + 3, colon - equals - 3)));
  });
  return tags;
}

void cover_shape(const OperationDeclaration& declaration, const Tile& tile, const Case& test_case,
                 Coverage& coverage) {
  coverage.add("regime " + test_case.regime);
  for (const Dimension& one : declaration.dimensions) {
    const std::int64_t value = dim(test_case.dims, one.name);
    if (one.is_choice()) {
      coverage.add(fmt::format("{} = {}", one.name, value));
      continue;
    }
    if (value == 1) coverage.add(one.name + " = 1");
    cover_landmark(one.name, value, "8", 8, coverage);
    if (one.tile != nullptr) cover_landmark(one.name, value, "tile", tile.*one.tile, coverage);
    for (const std::string& other : one.related) {
      cover_landmark(one.name, value, other, dim(test_case.dims, other), coverage);
    }
  }
  cover_slices(tile, test_case.dims, coverage);
}

void cover_values(const Problem& problem, Coverage& coverage) {
  for (const Tensor& tensor : problem.inputs) {
    if (tensor.dtype == DType::f16)
      count_specials<std::uint16_t>(tensor.as<std::uint16_t>(), 0x7C00, 0x0400).add_to(tensor.name, coverage);
    if (tensor.dtype == DType::f32)
      count_specials<std::uint32_t>(tensor.as<std::uint32_t>(), 0x7F80'0000, 0x0080'0000)
          .add_to(tensor.name, coverage);
  }
}

std::size_t telling_elements(const Expectation& expectation, const Tensor* initial) {
  std::size_t telling = 0;
  for (std::size_t i = 0; i < expectation.low.size(); ++i) {
    const double low = expectation.low[i], high = expectation.high[i];
    const double unchanged = initial == nullptr ? 0.0 : assay::decode(*initial, i);
    const bool passes = low <= unchanged && unchanged <= high;
    if (!std::isnan(low) && !std::isnan(high) && !passes) ++telling;
  }
  return telling;
}

}  // namespace assay::properties
