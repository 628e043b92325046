#include "harness/draft/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::draft {

std::uint32_t& side_of(device::Size3& size, unsigned axis) {
  return axis == 0 ? size.x : axis == 1 ? size.y : size.z;
}

std::uint32_t Side::at(const std::vector<MeasuredDimension>& all, const Dims& dims) const {
  if (dimension < 0) return 1;
  const std::int64_t size = dims.at(all[static_cast<std::size_t>(dimension)].name);
  return static_cast<std::uint32_t>(times * ((size + per - 1) / per));
}

std::string Side::text(const std::vector<MeasuredDimension>& all) const {
  if (dimension < 0) return "1";
  const std::string& name = all[static_cast<std::size_t>(dimension)].name;
  const std::string tiles = per == 1 ? name : fmt::format("ceil({} / {})", name, per);
  return times == 1 ? tiles : fmt::format("{} * {}", tiles, times);
}

Search::Search(const MeasureRequest& request, Probe& probe, TriedGrids tried)
    : request_(request), probe_(probe), all_(request.dimensions), tried_(std::move(tried)) {
  for (auto one : request.spare) {
    one.of_grid = true;
    all_.push_back(one);
  }
  for (const auto& one : all_) base_[one.name] = one.size;
}

std::optional<Measured> Search::run() {
  Measured found;
  std::vector<MeasuredBuffer>& all = found.buffers;  // and behind them the textures
  std::vector<Extent> extents;
  std::optional<Reaches> base;
  std::set<int> used;
  Grid grid;
  if (request_.grid.empty()) {
    grid = best();
    for (const Side& side : grid.sides) {
      found.grid.push_back(side.text(all_));
      used.insert(side.dimension);
    }
    base = at(grid, base_);
  } else {
    base = told(base_);
  }
  if (!base) return std::nullopt;
  grid_ = grid;
  for (int i = 0; i < count(); ++i) {
    if (!all_[static_cast<std::size_t>(i)].of_grid || !request_.grid.empty()) used.insert(i);
  }
  const Run run = [&](const Dims& dims) { return request_.grid.empty() ? at(grid, dims) : told(dims); };
  extents = extents_of(*base, used, run);
  find_tiles(extents, used, run);
  find_hidden_divisors(*base, extents, used, run);
  for (std::size_t i = 0; i < base->size(); ++i) all.push_back(buffer_of((*base)[i], extents[i]));
  const auto textures = all.begin() + static_cast<std::ptrdiff_t>(request_.arguments.size());
  found.textures.assign(textures, all.end());
  all.erase(textures, all.end());
  for (unsigned axis = 0; axis < 3; ++axis) {
    const Side& side = grid.sides[axis];
    if (side.per == 1 || fit_of(grid, axis, with_several(side)) != Fit::open) continue;
    found.parts[all_[static_cast<std::size_t>(side.dimension)].name] = side.per;
  }
  found.cut_short = probe_.late();
  for (const int i : used) {
    if (i < 0) continue;
    const auto& one = all_[static_cast<std::size_t>(i)];
    found.sizes += fmt::format("{}{}={}", found.sizes.empty() ? "" : " ", one.name, one.size);
  }
  return found;
}

device::Size3 Search::size_of(const Grid& grid, const Dims& dims) const {
  return {grid.sides[0].at(all_, dims), grid.sides[1].at(all_, dims), grid.sides[2].at(all_, dims)};
}

std::optional<Reaches> Search::at(const Grid& grid, const Dims& dims) {
  return probe_.run(dims, size_of(grid, dims));
}

std::optional<Reaches> Search::told(const Dims& dims) {
  device::Size3 size;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto side = request_.grid[axis].evaluate_integer(dims);
    if (side < 1 || side > 1 << 20) return std::nullopt;
    side_of(size, axis) = static_cast<std::uint32_t>(side);
  }
  return probe_.run(dims, size);
}

Dims Search::with_other(int dimension) const {
  Dims dims = base_;
  const auto& one = all_[static_cast<std::size_t>(dimension)];
  dims[one.name] = one.other;
  return dims;
}

std::optional<bool> Search::may_be_index(std::size_t i) const {
  if (i >= request_.arguments.size()) {
    const auto& texture = request_.textures[i - request_.arguments.size()];
    if (!texture.bound || texture.writable) return std::nullopt;
    return !is_integer(channel_type(texture.format));
  }
  const auto& argument = request_.arguments[i];
  if (!argument.buffer || argument.writable) return std::nullopt;
  return argument.type == "half" || argument.type == "float" || argument.type == "bfloat";
}

void Search::vary_contents(Measured& measured, const std::function<void(std::size_t)>& trying) {
  device::Size3 size;
  if (request_.grid.empty()) size = size_of(grid_, base_);
  for (unsigned axis = 0; axis < 3 && !request_.grid.empty(); ++axis)
    side_of(size, axis) = static_cast<std::uint32_t>(request_.grid[axis].evaluate_integer(base_));
  const auto reached = probe_.run(base_, size);
  if (!reached) return;
  const Reaches& base = *reached;
  const std::size_t buffers = measured.buffers.size();
  const auto of = [&](std::size_t i) -> MeasuredBuffer& {
    return i < buffers ? measured.buffers[i] : measured.textures[i - buffers];
  };
  using Of = Contents::Of;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const auto is_float = may_be_index(i);
    if (!is_float || !base[i].loaded) continue;
    for (const Of contents : {Of::threes, Of::zeros, Of::minus_ones}) {
      if (contents == Of::minus_ones && !*is_float) continue;  // an index may be large, but seldom so
      trying(i);
      const auto odd = probe_.run(base_, size, {contents, i});
      if (!odd) {  // it faulted, unless time is up; with zeros whatever divides by them does
        of(i).is_index |= contents == Of::threes && !probe_.late();
        continue;
      }
      std::ptrdiff_t grown = 0;
      for (std::size_t b = 0; b < base.size(); ++b) {
        grown += contents == Of::threes && (*odd)[b].elements > base[b].elements ? 1 : 0;
        of(b).is_partial |= (*odd)[b].stored_bytes != base[b].stored_bytes;
      }
      // Conditions on a float decide what is stored; it says where only if more is reached by a larger one.
      of(i).is_size |= grown > (*is_float ? 0 : 1);
      of(i).is_index |= of(i).is_size || (!*is_float && contents == Of::threes && *odd != base);
    }
  }
}

}  // namespace assay::draft
