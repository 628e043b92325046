// Cases far from the ordinary, a few in every hundred: what is right for one tile and for three may go wrong
// where an index passes 16 bits, tiles are many, or a group is longer than anybody tried.
#include <algorithm>
#include <array>
#include <utility>

#include "properties/cases/space.hpp"

namespace assay::properties {
namespace {

/// A long size: with kBeside beside it a tensor has more elements than 16 bits count, and so have packed
/// words, and scales of groups of 8, beside kBesidePacked; it has more tiles of 32 than 8 bits count.
constexpr std::int64_t kLong = 8209, kBeside = 9, kBesidePacked = 72;

/// More than 16 bits count.
constexpr std::int64_t kHuge = 65'537;

/// Tiles along each of two sizes: more than the units of 4, 8 and 16 that orders of tiles and tables go by.
constexpr std::array<std::array<std::int64_t, 2>, 4> kManyTiles = {{{5, 6}, {9, 5}, {6, 17}, {9, 10}}};

/// No operation has as many sizes or rare values.
constexpr std::size_t kTurns = 12;

}  // namespace

// The `which`-th of those that the kernel and the budget take, each kind in turn.
bool CaseSpace::draw_far(Case& test_case, std::size_t which) const {
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    for (const auto draw : {&CaseSpace::draw_long, &CaseSpace::draw_far_choice, &CaseSpace::draw_many_tiles,
                            &CaseSpace::draw_huge}) {
      Case tried = test_case;
      if (!(this->*draw)(tried, turn) || which-- > 0) continue;
      test_case = std::move(tried);
      return true;
    }
  }
  return false;
}

std::vector<std::size_t> CaseSpace::sizes() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    if (!declaration_.dimensions[i].is_choice()) found.push_back(i);
  }
  return found;
}

// Each size as near as the kernel takes it. False, and nothing changed, where it takes no such, or the
// budget.
bool CaseSpace::take(Case& test_case, const Dims& wanted) const {
  Dims dims = wanted;
  std::int64_t product = 1;
  for (const std::size_t i : sizes()) {
    const Range& range = ranges_[i];
    std::int64_t& value = dims.at(declaration_.dimensions[i].name);
    value = (value + range.multiple - 1) / range.multiple * range.multiple;
    value = std::max(value, range.low);
    const bool listed = range.one_of.empty() ||
                        std::find(range.one_of.begin(), range.one_of.end(), value) != range.one_of.end();
    if (value > range.longest || !listed) return false;
    for (int factor = 0; factor < declaration_.dimensions[i].power; ++factor) {
      if (value > budget_.longest / product) return false;
      product *= value;
    }
  }
  test_case.dims = std::move(dims);
  return true;
}

// Choices of that kind, each the least that is legal beside the others.
void CaseSpace::set_least(Dims& dims, bool Dimension::*kind) const {
  for (const Dimension& choice : declaration_.dimensions) {
    if (!(choice.*kind)) continue;
    const auto legal = edges(choice, dims);
    dims[choice.name] = *std::min_element(legal.begin(), legal.end());
  }
}

// Choices that the size is cut by, each the one that is named first: the most groups, and so the most scales;
// tiles of ordinary size, and so not too many tables.
void CaseSpace::set_first_of_related(Dims& dims, const Dimension& size) const {
  for (const std::string& name : size.related) {
    const auto* choice = find_named(declaration_.dimensions, name);
    if (choice != nullptr && choice->is_choice()) dims[name] = edges(*choice, dims).front();
  }
}

// One size long, so that an index kept in 16 bits, or a loop that counts in 8, goes wrong.
bool CaseSpace::draw_long(Case& test_case, std::size_t which) const {
  const auto all = sizes();
  if (which >= all.size()) return false;
  bool sums = false;
  for (const std::size_t i : all) sums |= declaration_.dimensions[i].reduced;
  const Dimension& one = declaration_.dimensions[all[which]];
  std::size_t packed = all.size();  // stands beside the long one in the packed weights
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool reduced = declaration_.dimensions[all[k]].reduced;
    if (k != which && (!sums || reduced != one.reduced) && !(sums && which == 0)) packed = k;
  }
  for (const std::int64_t beside : {kBeside, std::int64_t{1}}) {
    Dims dims = test_case.dims;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Dimension& size = declaration_.dimensions[all[k]];
      dims[size.name] = k == which ? kLong : k == packed ? kBesidePacked : beside;
      set_first_of_related(dims, size);
    }
    set_least(dims, &Dimension::shares_work);
    if (take(test_case, dims)) return true;
  }
  return false;
}

// One size beyond 16 bits, everything beside it as small as can be. Rows and columns that long are for
// planned large cases, where the operation has such: a sample shows what all of 65,537 rows do, for less.
bool CaseSpace::draw_huge(Case& test_case, std::size_t which) const {
  const auto all = sizes();
  if (which >= all.size()) return false;
  const Dimension& one = declaration_.dimensions[all[which]];
  const bool sums =
      std::any_of(all.begin(), all.end(), [&](std::size_t i) { return declaration_.dimensions[i].reduced; });
  // Plans make tensors long: in those of a product every size does, of weights alone columns do.
  if (!one.huge || (sums && !one.reduced && declaration_.has_plain_tensors())) return false;
  if (one.reduced && declaration_.long_sizes) return false;  // planned, and in fast mode alone
  Dims dims = test_case.dims;
  for (std::size_t k = 0; k < all.size(); ++k) {
    dims[declaration_.dimensions[all[k]].name] = k == which ? kHuge : 1;
  }
  set_first_of_related(dims, one);
  set_least(dims, &Dimension::adds_work);
  return take(test_case, dims);
}

// Many tiles along two sizes, the last one ragged.
bool CaseSpace::draw_many_tiles(Case& test_case, std::size_t which) const {
  if (which >= kManyTiles.size()) return false;
  Dims dims = test_case.dims;
  std::size_t tiled = 0;
  for (const std::size_t i : sizes()) {
    const Dimension& size = declaration_.dimensions[i];
    const std::int64_t tile = size.tile == nullptr ? 0 : traits_.tile.*size.tile;
    const bool many = tile > 0 && !size.reduced && tiled < 2;
    dims[size.name] = many                         ? (kManyTiles[which][tiled++] - 1) * tile + 1
                      : size.reduced && which == 0 ? tile + 1
                                                   : 1;
  }
  return tiled == 2 && take(test_case, dims);
}

bool CaseSpace::with_choice(Case& test_case, const Dimension& choice, std::int64_t value,
                            std::int64_t beside) const {
  Dims dims = test_case.dims;
  dims[choice.name] = value;
  if (choice.at_most && value > choice.at_most(dims)) return false;
  for (const std::size_t k : sizes()) {
    const Dimension& size = declaration_.dimensions[k];
    const bool follows =
        std::find(size.related.begin(), size.related.end(), choice.name) != size.related.end();
    // Slices are cut from whole tiles of what they sum over.
    const std::int64_t tile = size.tile == nullptr ? 1 : std::max<std::int64_t>(traits_.tile.*size.tile, 1);
    dims[size.name] = follows ? value + 1 : choice.cuts_sums && size.reduced ? value * tile : beside;
  }
  return take(test_case, dims);
}

// A choice larger than those drawn often, small sizes, and those that follow from it just beyond it.
bool CaseSpace::draw_far_choice(Case& test_case, std::size_t which) const {
  for (std::size_t i = 0; i < declaration_.dimensions.size(); ++i) {
    const Dimension& choice = declaration_.dimensions[i];
    const Range& range = ranges_[i];
    for (const std::int64_t value : choice.rare) {
      if (!range.one_of.empty() || value < range.low || value > range.longest ||
          value % range.multiple != 0) {
        continue;
      }
      if (which-- > 0) continue;
      return with_choice(test_case, choice, value, kBeside) || with_choice(test_case, choice, value, 1);
    }
  }
  return false;
}

}  // namespace assay::properties
