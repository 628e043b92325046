#include "properties/operations/rans/rans_operation.hpp"

#include <algorithm>
#include <limits>

#include "properties/operations/rans/rans_tensors.hpp"

namespace assay::properties {
namespace {

/// So many tiles down are compressed, and repeated then, or else as many as divide those of the problem: a
/// prime, so that what lies a power of two away is another tile.
constexpr std::size_t kTilesDown = 53;

/// Fewer where these had more symbols.
constexpr std::size_t kMostCompressed = std::size_t{1} << 21;

/// Offsets are in no pattern, so all of them take memory.
constexpr std::size_t kMostOffsets = std::size_t{1} << 25;

}  // namespace

std::int64_t RansOperation::repeats_after(const Dims& dims, std::string_view dimension) const {
  if (dimension != "M") return 0;
  const std::size_t tile_rows = dims.contains("tile_rows") ? extent(dims, "tile_rows") : 1;
  const std::size_t columns = dims.contains("N") ? extent(dims, "N") : 1;
  std::size_t tiles = std::clamp<std::size_t>(kMostCompressed / columns / tile_rows, 1, kTilesDown);
  if (dims.contains("M")) {
    const std::size_t rows = extent(dims, "M");
    if (rows % tile_rows != 0) return 0;  // the last row of tiles is another
    while (rows / tile_rows % tiles != 0) --tiles;
    if (layout_of(dims).tiles() > kMostOffsets / extent(dims, "streams")) return 0;
  }
  return static_cast<std::int64_t>(tiles * tile_rows);
}

void RansOperation::repeat_counted(const Problem& small, Problem& problem) const {
  const std::size_t tiles = layout_of(problem.dims).tiles(), of_small = layout_of(small.dims).tiles();
  const std::size_t times = tiles / of_small;
  if (times <= 1) return;
  const std::size_t streams = extent(problem.dims, "streams");
  const Tensor& pattern = input(small, "data");
  if (pattern.data.size() > std::numeric_limits<std::uint32_t>::max() / times)
    throw Unjudgeable("data has more bytes than offsets of 32 bits reach");
  if (tiles > kMostOffsets / streams) throw Unjudgeable("more streams than can be told apart");
  Tensor& data = input(problem, "data");
  data.shape = {pattern.data.size() * times};
  data.repeated = true;
  const auto first = input(small, "stream_offset").as<std::uint32_t>();
  Tensor& offsets = input(problem, "stream_offset");
  offsets = assay::make_tensor(offsets.name, offsets.dtype, {tiles, streams});
  const auto all = offsets.as<std::uint32_t>();
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<std::uint32_t>(i / first.size() * pattern.data.size()) + first[i % first.size()];
}

std::map<std::string, Taken> RansOperation::cut_counted(const Problem& whole, const Part& part,
                                                        Problem& cut) const {
  const auto of_whole = layout_of(whole.dims), of_cut = layout_of(cut.dims);
  const std::size_t streams = of_whole.streams;
  const auto begins = [&](const char* dimension) {
    const auto found = part.find(dimension);
    return found == part.end() ? std::size_t{0} : found->second.begin;
  };
  const std::size_t down = begins("M") / of_whole.tile_rows, across = begins("N") / of_whole.tile_cols;
  const auto offsets = input(whole, "stream_offset").as<std::uint32_t>();
  const Tensor& data = input(whole, "data");
  const auto moved = input(cut, "stream_offset").as<std::uint32_t>();
  std::vector<std::byte> taken;
  Taken range{~std::size_t{0}, 0};
  for (std::size_t tile = 0; tile < of_cut.tiles(); ++tile) {
    const std::size_t origin = (down + tile / of_cut.tiles_across()) * of_whole.tiles_across() + across +
                               tile % of_cut.tiles_across();
    const std::size_t next = (origin + 1) * streams;
    const std::size_t begin = offsets[origin * streams];
    const std::size_t end = next < offsets.size() ? offsets[next] : data.element_count();
    if (begin > end || end > data.element_count())
      throw Unjudgeable("streams that do not follow one another cannot be cut out");
    for (std::size_t stream = 0; stream < streams; ++stream) {
      const std::size_t offset = offsets[origin * streams + stream];
      if (offset < begin || offset > end)
        throw Unjudgeable("streams that do not follow one another cannot be cut out");
      moved[tile * streams + stream] = static_cast<std::uint32_t>(taken.size() + offset - begin);
    }
    if (begin == end) continue;
    const std::size_t at = taken.size();
    taken.resize(at + end - begin);
    data.copy(begin, std::span(taken).subspan(at));
    range = {std::min(range.first, begin), std::max(range.last, end - 1)};
  }
  Tensor& own = input(cut, "data");
  resize_vector(own, std::max<std::size_t>(taken.size(), 1));
  std::copy(taken.begin(), taken.end(), own.data.begin());
  if (taken.empty()) return {};
  return {{"data", range}};
}

}  // namespace assay::properties
