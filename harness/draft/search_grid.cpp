// The grid that explains best what a kernel touches: sides of each axis in turn, the best few followed up.
#include "harness/draft/search.hpp"

#include <algorithm>
#include <map>

namespace assay::draft {
namespace {

/// Combinations of sides that are followed up, of all that have been tried for one axis; and how many of
/// these are of one dimension.
constexpr std::size_t kBeam = 6, kOfDimension = 2;
/// What a grid is given for. A side that covers what there is to do is worth more than any extents that a
/// shorter one explains.
constexpr double kCovers = 8, kOfGrid = 0.25, kFlat = 0.5;
/// What a buffer is given for: for a product of dimensions, less for a part of it, for a constant, which is
/// likelier of a grid that is too small, and for what no product explains.
constexpr double kProduct = 2, kPart = 0.1, kConstant = 1.5, kUnknown = -3;
/// A scalar that nothing depends on is likely one that the grid should depend on, two sides seldom have the
/// same dimension, and a product that is nearly as large as what is touched is often another's.
constexpr double kIdle = 1, kTwice = 0.5, kInexact = 0.5;

/// Whether the same was touched. Atomics alone do not tell: what threadgroups count and hand to each other
/// grows with each of them, also of those that have nothing to do.
bool alike(const Reaches& a, const Reaches& b) {
  const auto is_atomic = [](const Reach& one) { return !one.loaded && !one.stored; };
  const bool all = std::all_of(b.begin(), b.end(), is_atomic);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && (all || !is_atomic(a[i]) || !is_atomic(b[i]))) return false;
  }
  return true;
}

}  // namespace

Grid Search::best() {
  if (const auto grid = of_texels()) return *grid;
  std::vector<std::vector<unsigned>> orders = {{0}};
  if (request_.axes == 2) orders = {{0, 1}, {1, 0}};
  if (request_.axes == 3) orders = {{0, 1, 2}, {1, 0, 2}};
  std::optional<Grid> found;
  for (const auto& order : orders) {
    std::vector<Grid> beam(1);
    for (const unsigned axis : order) beam = grown(beam, axis, axis == order.back());
    if (!beam.empty() && explains_all(beam.front())) return beam.front();
    if (!beam.empty() && explains_all(beam.front(), 0, kPart)) return shared(adopted(beam.front()));
    if (!beam.empty() && (!found || beam.front().score() > found->score())) found = beam.front();
  }
  if (!found) return {};
  return shared(adopted(*found));
}

std::optional<std::uint32_t> Search::cover_of(const Grid& grid, unsigned axis) {
  std::uint32_t most = 1;
  for (const Side& side : sides(axis, 0)) most = std::max(most, side.at(all_, base_));
  device::Size3 size = size_of(grid, base_);
  const auto with = [&](std::uint32_t length) {
    side_of(size, axis) = length;
    return probe_.run(base_, size);
  };
  std::uint32_t enough = most + 1, too_few = 0;
  const auto all = with(enough);
  const auto more = with(enough + std::max(request_.in_threads ? 32U : 2U, enough / 8));
  if (!all || !more || !alike(*all, *more)) return std::nullopt;
  while (enough - too_few > 1) {
    const std::uint32_t half = too_few + (enough - too_few) / 2;
    const auto some = with(half);
    (some && alike(*some, *all) ? enough : too_few) = half;
  }
  return enough;
}

std::vector<Grid> Search::grown(const std::vector<Grid>& beam, unsigned axis, bool last) {
  std::vector<Grid> next;
  for (std::size_t i = 0; i < beam.size(); ++i) {
    const Grid& grid = beam[i];
    const auto cover = cover_of(grid, axis);
    const auto all = sides(axis, cover.value_or(0));
    bool fits = false;
    for (const Side& side : all) {
      tell(i * all.size() + static_cast<std::size_t>(&side - all.data()), beam.size() * all.size());
      // Where so many are enough, more have nothing to do, and fewer leave something undone.
      const std::int64_t length = side.at(all_, base_);
      if (cover && (length >= *cover + step_of(side, length) || (*cover > 1 && length < *cover))) continue;
      // Of a tile that is larger than its dimension nothing can be seen where there is always more to do.
      if (!cover && side.per > 1 && length <= side.times) continue;
      const auto one = scored(grid, axis, side);
      if (!one) continue;
      next.push_back(*one);
      fits |= cover && *cover > 1;
      // No other side of this axis is better.
      const bool best = explains_all(*one) || (!cover && last && is_of_grid(side) && explains_all(*one, 0));
      if (best && stays(*one, axis)) break;
    }
    if (fits) continue;
    if (const auto flat = scored(grid, axis, {})) next.push_back(*flat);  // this axis may be of one
  }
  return best_of(std::move(next), axis);
}

void Search::tell(std::size_t tried, std::size_t of) {
  const auto now = std::chrono::steady_clock::now();
  if (!tried_ || now - told_ < std::chrono::milliseconds(100)) return;
  told_ = now;
  tried_(tried, of);
}

std::vector<Grid> Search::best_of(std::vector<Grid> grids, unsigned axis) {
  std::stable_sort(grids.begin(), grids.end(),
                   [](const Grid& a, const Grid& b) { return a.score() > b.score(); });
  std::vector<Grid> best;
  std::map<int, std::size_t> of_dimension;
  for (const Grid& grid : grids) {
    if (best.size() == kBeam) break;
    std::size_t& known = of_dimension[grid.sides[axis].dimension];
    if (known == kOfDimension || !stays(grid, axis)) continue;
    ++known;
    best.push_back(grid);
  }
  return best;
}

bool Search::explains_all(const Grid& grid, double fit, double less) {
  const auto base = at(grid, base_);
  if (!base) return false;
  double most = 0;
  for (const Reach& reach : *base) most += reach.elements > 0 ? kProduct - less : 0;
  return most > 0 && grid.explained >= most && grid.fit >= fit;
}

std::vector<Side> Search::sides(unsigned axis, std::uint32_t cover) const {
  std::vector<std::int64_t> per = {1};  // what the text names comes first
  const auto add = [&](std::int64_t one) {
    if (std::find(per.begin(), per.end(), one) == per.end()) per.push_back(one);
  };
  std::for_each(request_.tiles.begin(), request_.tiles.end(), add);
  const auto& t = request_.threads;
  const std::int64_t total = std::int64_t{t.x} * t.y * t.z, groups = std::max<std::int64_t>(total / 32, 1);
  std::set<std::int64_t> usual = {2, 4, 8};
  if (!request_.in_threads)
    usual = {t.x, t.y, total, 2 * total, 4 * total, groups, 2 * groups, 4 * groups, 8, 16, 32, 64, 128, 256};
  std::for_each(usual.begin(), usual.end(), add);
  std::vector<Side> all;
  for (int d = count(); d-- > 0;) {  // those of the grid first: they explain most kernels
    const auto& one = all_[static_cast<std::size_t>(d)];
    if (one.of_grid && d != static_cast<int>(request_.dimensions.size() + axis)) continue;
    if (one.of_grid || one.size == one.other) {
      all.push_back({d, 1, 1});
    } else {
      for (const auto p : per) all.push_back({d, 1, p});
      const std::int64_t tile = cover > 1 ? (one.size + cover - 1) / cover : 1;
      if (std::find(per.begin(), per.end(), tile) == per.end()) all.push_back({d, 1, tile});
    }
    if (request_.in_threads && axis == 0) all.push_back({d, 32, 1});
  }
  return all;
}

Dims Search::with_several(const Side& side) const {
  const auto& one = all_[static_cast<std::size_t>(side.dimension)];
  Dims dims = base_;
  if (side.at(all_, dims) <= side.times && one.other > one.size)
    dims[one.name] = std::max(one.other, one.most_tried(2 * side.per));
  return dims;
}

std::optional<Grid> Search::scored(Grid grid, unsigned axis, const Side& side) {
  grid.sides[axis] = side;
  const auto base = at(grid, base_);
  if (!base) return std::nullopt;
  if (side.dimension < 0) {
    grid.fit -= kFlat;
  } else {
    const auto fit = fit_of(grid, axis, with_several(side));
    if (fit == Fit::too_long || fit == Fit::fails) return std::nullopt;
    if (is_of_grid(side) && fit == Fit::covers) return std::nullopt;
    if (fit == Fit::covers) grid.fit += kCovers;
    if (fit == Fit::single) grid.fit -= kFlat;
    if (is_of_grid(side)) grid.fit += kOfGrid;
  }
  grid.explained = explained(grid, *base);
  return grid;
}

double Search::explained(const Grid& grid, const Reaches& base) {
  double score = 0;
  std::set<int> used;
  for (const Side& each : grid.sides) {
    if (each.dimension >= 0 && !used.insert(each.dimension).second) score -= kTwice;
  }
  for (int d = 0; d < static_cast<int>(request_.dimensions.size()); ++d) {
    const auto& one = all_[static_cast<std::size_t>(d)];
    const bool whole = std::any_of(grid.sides.begin(), grid.sides.end(),
                                   [&](const Side& each) { return each.dimension == d && each.per == 1; });
    used.insert(d);
    if (one.size == one.other || whole) continue;
    const auto other = probe_.run(with_other(d), size_of(grid, base_));
    if (other && *other == base) score -= kIdle;
  }
  const auto extents = extents_of(base, used, [&](const Dims& dims) { return at(grid, dims); });
  for (const Extent& extent : extents) {
    if (!extent.touched) continue;
    const bool part = extent.per > 1 || !extent.divisors.empty();
    score += !extent.known ? kUnknown : extent.dimensions.empty() ? kConstant : kProduct - (part ? kPart : 0);
    if (extent.known && !extent.exact) score -= kInexact;
  }
  return score;
}

bool Search::stays(const Grid& grid, unsigned axis) {
  const Side& side = grid.sides[axis];
  if (side.dimension < 0) return true;
  const Dims dims = with_several(side);
  const auto first = fit_of(grid, axis, dims);
  for (int d = 0; d < count() && first != Fit::single; ++d) {
    const auto& changed = all_[static_cast<std::size_t>(d)];
    const bool in_grid = std::any_of(grid.sides.begin(), grid.sides.end(),
                                     [&](const Side& each) { return each.dimension == d; });
    if (changed.size == changed.other || (changed.of_grid && !in_grid)) continue;
    Dims more = dims;
    more[changed.name] = changed.bounded ? changed.other : 2 * dims.at(changed.name);
    if (fit_of(grid, axis, more) != first) return false;
  }
  return true;
}

std::int64_t Search::step_of(const Side& side, std::int64_t length) const {
  constexpr std::int64_t kBorder = 3, kLong = 8;
  return request_.in_threads && side.times == 1 && length > kLong ? kBorder : side.times;
}

Search::Fit Search::fit_of(const Grid& grid, unsigned axis, const Dims& dims) {
  const auto times = static_cast<std::uint32_t>(grid.sides[axis].times);
  device::Size3 size = size_of(grid, dims);
  const std::uint32_t length = side_of(size, axis);
  if (length <= times) return Fit::single;
  const auto whole = probe_.run(dims, size);
  side_of(size, axis) = length - static_cast<std::uint32_t>(step_of(grid.sides[axis], length));
  const auto less = probe_.run(dims, size);
  if (!whole || !less) return Fit::fails;
  if (alike(*less, *whole)) return Fit::too_long;
  side_of(size, axis) = length + times;
  const auto more = probe_.run(dims, size);
  return more && alike(*whole, *more) ? Fit::covers : Fit::open;
}

std::optional<Grid> Search::of_texels() {
  if (!request_.in_threads) return std::nullopt;
  const MeasuredTexture* texture = nullptr;
  for (const auto& one : request_.textures) {
    if (one.bound && (texture == nullptr || (one.writable && !texture->writable))) texture = &one;
  }
  if (texture == nullptr || texture->extents.size() < request_.axes) return std::nullopt;
  Grid grid;
  for (unsigned axis = 0; axis < request_.axes; ++axis) {
    const auto& extent = texture->extents[texture->extents.size() - 1 - axis];
    const auto named = std::find_if(all_.begin(), all_.end(), [&](const auto& one) {
      return extent.is_name() && one.name == extent.text();
    });
    if (named == all_.end()) return std::nullopt;
    grid.sides[axis].dimension = static_cast<int>(named - all_.begin());
  }
  if (request_.axes == 1 && texture->extents.size() > 1) return std::nullopt;
  const auto whole = at(grid, base_);
  if (!whole) return std::nullopt;
  for (unsigned axis = 0; axis < request_.axes; ++axis) {
    device::Size3 more = size_of(grid, base_);
    ++side_of(more, axis);
    if (const auto wider = probe_.run(base_, more); !wider || *wider != *whole) return std::nullopt;
  }
  return grid;
}

Grid Search::shared(Grid grid) {
  const bool least =
      std::all_of(grid.sides.begin(), grid.sides.end(), [](const Side& side) { return side.dimension < 0; });
  if (!request_.any_grid || !least) return grid;
  Grid larger = grid;
  larger.sides[0].dimension = static_cast<int>(request_.dimensions.size());
  return at(larger, base_) ? larger : grid;
}

Grid Search::adopted(Grid grid) {
  const auto base = at(grid, base_);
  if (!base) return grid;
  std::vector<int> idle;
  for (int d = 0; d < static_cast<int>(request_.dimensions.size()); ++d) {
    const auto& one = all_[static_cast<std::size_t>(d)];
    if (one.size == one.other) continue;
    const auto other = at(grid, with_other(d));
    if (other && *other == *base) idle.push_back(d);
  }
  std::vector<Side*> made_up;
  for (Side& side : grid.sides) {
    if (side.dimension >= 0 && all_[static_cast<std::size_t>(side.dimension)].of_grid)
      made_up.push_back(&side);
  }
  if (idle.size() == 1 && made_up.size() == 1) made_up.front()->dimension = idle.front();
  return grid;
}

}  // namespace assay::draft
