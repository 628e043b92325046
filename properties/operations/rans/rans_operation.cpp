#include "properties/operations/rans/rans_operation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "properties/operations/rans/rans_pages.hpp"
#include "properties/operations/rans/rans_tensors.hpp"

namespace assay::properties {
namespace {

/// So many tiles, or rows of tiles, are compressed and then repeated: primes, so that what lies a power of
/// two away, or a row of usual length, is another tile.
constexpr std::array<std::size_t, 9> kPeriods = {61, 31, 17, 13, 11, 7, 5, 3, 2};

/// Fewer where these had more symbols.
constexpr std::size_t kMostCompressed = std::size_t{1} << 20;

/// Offsets are in no pattern, so all of them take memory.
constexpr std::size_t kMostOffsets = std::size_t{1} << 25;

/// The longest period of pieces of so many symbols each.
std::size_t period_of(std::size_t symbols) {
  const auto found = std::find_if(kPeriods.begin(), kPeriods.end(), [symbols](std::size_t period) {
    return period <= kMostCompressed / symbols;
  });
  return found == kPeriods.end() ? 1 : *found;
}

bool has_tiles(const Dims& dims) { return dims.contains("tile_rows"); }

}  // namespace

Dims RansOperation::repeats(const Dims& dims) const {
  const reference::RansLayout layout = layout_of(dims);
  if (layout.M % layout.tile_rows != 0 || layout.tiles() > kMostOffsets / layout.streams) return dims;
  Dims small = dims;
  if (has_tiles(dims) && layout.N % layout.tile_cols == 0) {
    const std::size_t tiles = period_of(layout.tile_rows * layout.tile_cols);
    if (layout.tiles() <= tiles) return dims;
    small["M"] = static_cast<std::int64_t>(layout.tile_rows);
    small["N"] = static_cast<std::int64_t>(tiles * layout.tile_cols);
    return small;
  }
  const std::size_t down = period_of(layout.tile_rows * layout.N);
  if (layout.tiles_down() <= down) return dims;
  small["M"] = static_cast<std::int64_t>(down * layout.tile_rows);
  return small;
}

std::int64_t RansOperation::repeats_for(const Dims& choices, std::string_view dimension) const {
  return dimension == "M" && has_tiles(choices) ? dim(choices, "tile_rows") : 1;
}

void RansOperation::repeat_counted(const Problem& small, Problem& problem) const {
  const std::size_t tiles = layout_of(problem.dims).tiles(), of_small = layout_of(small.dims).tiles();
  if (tiles <= of_small) return;
  const std::size_t streams = extent(problem.dims, "streams");
  if (tiles > kMostOffsets / streams) throw Unjudgeable("more streams than can be told apart");
  Problem pattern = small;
  if (end_with_page(tiles / of_small, pattern)) {
    for (const char* name : {"freq", "checksums"}) input(problem, name).data = input(pattern, name).data;
  }
  const std::vector<std::byte>& bytes = input(pattern, "data").data;
  const auto first = input(pattern, "stream_offset").as<std::uint32_t>();
  const auto begin_of = [&](std::size_t stream) {
    return stream / first.size() * bytes.size() + first[stream % first.size()];
  };
  const std::size_t all_bytes =
      tiles % of_small == 0 ? tiles / of_small * bytes.size() : begin_of(tiles * streams);
  if (all_bytes > std::numeric_limits<std::uint32_t>::max())
    throw Unjudgeable("data has more bytes than offsets of 32 bits reach");
  Tensor& data = input(problem, "data");
  data.data = bytes;
  data.shape = {all_bytes};
  data.repeated = true;
  Tensor& offsets = input(problem, "stream_offset");
  offsets = assay::make_tensor(offsets.name, offsets.dtype, {tiles, streams});
  const auto all = offsets.as<std::uint32_t>();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(begin_of(i));
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
