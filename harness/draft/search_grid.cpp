// The grid that explains best what a kernel touches: sides of each axis in turn, the best few followed up.
#include "harness/draft/search.hpp"

#include <algorithm>

namespace assay::draft {
namespace {

/// Combinations of sides that are followed up, of all that have been tried for one axis.
constexpr std::size_t kBeam = 4;

}  // namespace

Grid Search::best() {
  if (const auto grid = of_texels()) return *grid;
  std::vector<std::vector<unsigned>> orders = {{0}};
  if (request_.axes == 2) orders = {{0, 1}, {1, 0}};
  if (request_.axes == 3) orders = {{0, 1, 2}, {1, 0, 2}};
  std::optional<Grid> found;
  for (const auto& order : orders) {
    std::vector<Grid> beam(1);
    for (const unsigned axis : order) beam = grown(beam, axis);
    if (!beam.empty() && explains_all(beam.front())) return beam.front();
    if (!beam.empty() && (!found || beam.front().score > found->score)) found = beam.front();
  }
  if (!found) return {};
  return shared(adopted(*found));
}

std::vector<Grid> Search::grown(const std::vector<Grid>& beam, unsigned axis) {
  std::vector<Grid> next;
  for (const Grid& grid : beam) {
    for (const Side& side : sides(axis)) {
      Grid one = grid;
      one.sides[axis] = side;
      if (const auto score = score_of(one, axis)) {
        one.score = *score;
        next.push_back(one);
        if (explains_all(one)) return {one};
      }
    }
    Grid flat = grid;  // this axis may be of one
    if (const auto score = score_of(flat, axis)) {
      flat.score = *score - 0.5;
      next.push_back(flat);
    }
  }
  std::stable_sort(next.begin(), next.end(), [](const Grid& a, const Grid& b) { return a.score > b.score; });
  if (next.size() > kBeam) next.resize(kBeam);
  return next;
}

bool Search::explains_all(const Grid& grid) {
  const auto base = at(grid, base_);
  if (!base) return false;
  double most = 0;
  for (const Reach& reach : *base) most += reach.elements > 0 ? 2 : 0;
  return most > 0 && grid.score >= most + 0.5;
}

std::vector<Side> Search::sides(unsigned axis) const {
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
    }
    if (request_.in_threads && axis == 0) all.push_back({d, 32, 1});
  }
  return all;
}

std::optional<double> Search::score_of(const Grid& grid, unsigned axis) {
  const auto base = at(grid, base_);
  if (!base) return std::nullopt;
  const Side& side = grid.sides[axis];
  double score = 0;
  if (side.dimension >= 0) {
    const auto& one = all_[static_cast<std::size_t>(side.dimension)];
    // At a size where the side has more than one.
    Dims dims = base_;
    if (side.at(all_, dims) <= side.times && one.other > one.size)
      dims[one.name] = std::max(one.other, one.most_tried(2 * side.per));
    const auto first = fit_of(grid, axis, dims);
    if (first == Fit::too_long || first == Fit::fails) return std::nullopt;
    if (one.of_grid && first == Fit::covers) return std::nullopt;
    if (first == Fit::covers) score += 1;
    if (first == Fit::single) score -= 0.5;
    if (one.of_grid) score += 0.25;
    // What holds at these sizes holds at others.
    for (int d = 0; d < count() && first != Fit::single; ++d) {
      const auto& changed = all_[static_cast<std::size_t>(d)];
      const bool in_grid = std::any_of(grid.sides.begin(), grid.sides.end(),
                                       [&](const Side& each) { return each.dimension == d; });
      if (changed.size == changed.other || (changed.of_grid && !in_grid)) continue;
      Dims more = dims;
      more[changed.name] = 2 * dims.at(changed.name);
      if (changed.bounded) more[changed.name] = changed.other;
      if (fit_of(grid, axis, more) != first) return std::nullopt;
    }
  }
  std::set<int> used;
  for (const Side& each : grid.sides) used.insert(each.dimension);
  for (std::size_t d = 0; d < request_.dimensions.size(); ++d) used.insert(static_cast<int>(d));
  const auto extents = extents_of(*base, used, [&](const Dims& dims) { return at(grid, dims); });
  for (const Extent& extent : extents) {
    // A constant size is likelier of a grid that is too small, and so is a part of the dimensions.
    if (extent.touched)
      score += !extent.known ? -3 : extent.dimensions.empty() ? 1.5 : extent.per == 1 ? 2 : 1.9;
  }
  return score;
}

Search::Fit Search::fit_of(const Grid& grid, unsigned axis, const Dims& dims) {
  const auto times = static_cast<std::uint32_t>(grid.sides[axis].times);
  device::Size3 size = size_of(grid, dims);
  if (side_of(size, axis) <= times) return Fit::single;
  const auto whole = probe_.run(dims, size);
  side_of(size, axis) -= times;
  const auto less = probe_.run(dims, size);
  if (!whole || !less) return Fit::fails;
  if (*whole == *less) return Fit::too_long;
  side_of(size, axis) += 2 * times;
  const auto more = probe_.run(dims, size);
  return more && *more == *whole ? Fit::covers : Fit::open;
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
