#include "properties/operations/rans/rans_defects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "properties/cases/operation.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_stream.hpp"

namespace assay::properties {
namespace {

/// More than a decoder takes at once: some load eight bytes ahead.
constexpr std::size_t kMostBytes = 9;

/// Of one tile, and of one of its streams, by its number among all.
struct Place {
  std::size_t tile, stream;
};

struct Defect {
  std::string words;
  std::function<void(Problem&, Place)> spoil;
};

std::span<std::uint32_t> offsets_of(Problem& problem) {
  return input(problem, "stream_offset").as<std::uint32_t>();
}

std::size_t end_of(Problem& problem, std::size_t stream) {
  const auto offsets = offsets_of(problem);
  return stream + 1 < offsets.size() ? offsets[stream + 1] : input(problem, "data").data.size();
}

/// That many bytes more at the end of a stream, or fewer; those behind it move. A byte of all data stays: no
/// tensor is empty.
void lengthen(Problem& problem, std::size_t stream, std::ptrdiff_t by, std::byte fill = std::byte{0x5A}) {
  Tensor& data = input(problem, "data");
  auto bytes = data.data;
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(end_of(problem, stream));
  const auto has = static_cast<std::ptrdiff_t>(end_of(problem, stream) - offsets_of(problem)[stream]);
  by = std::max({by, -has, 1 - std::ssize(bytes)});
  if (by > 0) {
    bytes.insert(end, static_cast<std::size_t>(by), fill);
  } else {
    bytes.erase(end + by, end);
  }
  resize_vector(data, bytes.size());
  data.data = std::move(bytes);
  auto offsets = offsets_of(problem);
  for (std::size_t i = stream + 1; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::uint32_t>(offsets[i] + static_cast<std::uint32_t>(by));
}

void change_byte(Problem& problem, std::size_t at, std::uint8_t bits) {
  const auto bytes = input(problem, "data").as<std::uint8_t>();
  if (at < bytes.size()) bytes[at] ^= bits;
}

Defect of_count(std::string words,
                std::function<std::uint32_t(std::uint32_t right, std::size_t whole)> wrong) {
  return {std::move(words), [wrong = std::move(wrong)](Problem& problem, Place place) {
            const auto layout = layout_of(problem.dims);
            auto& count = input(problem, "n_symbols").as<std::uint32_t>()[place.tile];
            count = wrong(count, layout.tile_rows * layout.tile_cols);
          }};
}

Defect of_offset(std::string words, std::function<std::uint32_t(Problem&, std::size_t stream)> wrong) {
  return {std::move(words), [wrong = std::move(wrong)](Problem& problem, Place place) {
            const std::uint32_t value = wrong(problem, place.stream);
            offsets_of(problem)[place.stream] = value;
          }};
}

Defect of_frequencies(std::string words, std::function<void(std::span<std::uint16_t>)> change) {
  return {std::move(words), [change = std::move(change)](Problem& problem, Place place) {
            change(input(problem, "freq")
                       .as<std::uint16_t>()
                       .subspan(place.tile * reference::kRansSymbols, reference::kRansSymbols));
          }};
}

std::vector<Defect> make_defects() {
  std::vector<Defect> all;
  for (std::size_t n = 1; n <= kMostBytes; ++n) {
    const auto by = static_cast<std::ptrdiff_t>(n);
    all.push_back({fmt::format("a stream with {} byte{} too many", n, n == 1 ? "" : "s"),
                   [by](Problem& problem, Place place) { lengthen(problem, place.stream, by); }});
    all.push_back(
        {fmt::format("a stream with {} byte{} of 0 too many", n, n == 1 ? "" : "s"),
         [by](Problem& problem, Place place) { lengthen(problem, place.stream, by, std::byte{0}); }});
    all.push_back({fmt::format("a stream with {} byte{} too few", n, n == 1 ? "" : "s"),
                   [by](Problem& problem, Place place) { lengthen(problem, place.stream, -by); }});
  }
  for (std::size_t bit = 0; bit < 8 * reference::kRansStateBytes; ++bit) {
    all.push_back({fmt::format("a start state: bit {} flipped", bit), [bit](Problem& problem, Place place) {
                     change_byte(problem, offsets_of(problem)[place.stream] + bit / 8,
                                 static_cast<std::uint8_t>(1U << bit % 8));
                   }});
  }
  all.push_back({"the first byte behind a start state changed", [](Problem& problem, Place place) {
                   change_byte(problem, offsets_of(problem)[place.stream] + reference::kRansStateBytes, 1);
                 }});
  all.push_back({"the last byte of a stream changed", [](Problem& problem, Place place) {
                   change_byte(problem, end_of(problem, place.stream) - 1, 0x80);
                 }});
  all.push_back(of_count("a number of symbols: one more", [](auto right, auto) { return right + 1; }));
  all.push_back(of_count("a number of symbols: one less", [](auto right, auto) { return right - 1; }));
  all.push_back(of_count("a number of symbols: none", [](auto, auto) { return 0U; }));
  all.push_back(of_count("a number of symbols: that of a whole tile",
                         [](auto, auto whole) { return static_cast<std::uint32_t>(whole); }));
  all.push_back(
      of_count("a number of symbols: 2^16 more", [](auto right, auto) { return right + 0x1'0000; }));
  all.push_back(
      of_count("a number of symbols: 2^31 more", [](auto right, auto) { return right + 0x8000'0000; }));
  for (const int by : {-4, -1, 1, 4}) {
    all.push_back(of_offset(fmt::format("an offset {} too {}", std::abs(by), by < 0 ? "low" : "high"),
                            [by](Problem& problem, std::size_t stream) {
                              return offsets_of(problem)[stream] + static_cast<std::uint32_t>(by);
                            }));
  }
  all.push_back(of_offset("an offset at the end of the data", [](Problem& problem, std::size_t) {
    return static_cast<std::uint32_t>(input(problem, "data").data.size());
  }));
  all.push_back(of_offset("an offset behind the end of the data", [](Problem& problem, std::size_t) {
    return static_cast<std::uint32_t>(input(problem, "data").data.size() + 1);
  }));
  for (std::uint32_t below = 1; below <= reference::kRansStateBytes; ++below) {
    all.push_back(of_offset(fmt::format("an offset of 2^32 - {}", below),
                            [below](Problem&, std::size_t) { return 0U - below; }));
  }
  all.push_back(of_frequencies("frequencies 2^16 too many", [](auto freq) {
    for (std::uint16_t& one : freq.last(2)) one = static_cast<std::uint16_t>(one + 0x8000);
  }));
  all.push_back(of_frequencies("the first frequency one more", [](auto freq) { ++freq.front(); }));
  all.push_back(of_frequencies("the last frequency one more", [](auto freq) { ++freq.back(); }));
  all.push_back(of_frequencies("frequencies in reverse order",
                               [](auto freq) { std::reverse(freq.begin(), freq.end()); }));
  all.push_back(of_frequencies("all slots of one symbol", [](auto freq) {
    std::fill(freq.begin(), freq.end(), std::uint16_t{0});
    freq.front() = reference::kRansSlots;
  }));
  return all;
}

const std::vector<Defect>& defects() {
  static const std::vector<Defect> all = make_defects();
  return all;
}

}  // namespace

PlannedRegime rans_defects_regime() {
  std::vector<std::string> words;
  for (const Defect& one : defects()) words.push_back(one.words);
  return {.regime = {.name = kDefects,
                     .about = "each defect of a stream and of a tile's record, in a tile of its own",
                     .knobs = {{"defect",
                                [](const Dims&, const Arithmetic&) { return std::ssize(defects()) - 1; },
                                std::move(words)}},
                     .needs = "status"},
          .sizes =
              [](const Tile&) {
                return std::vector<Dims>{
                    {{"batch", 1}, {"M", 9}, {"N", 513}, {"tile_rows", 64}, {"tile_cols", 32}},
                    {{"batch", 1}, {"M", 33}, {"N", 5}, {"tile_rows", 1}, {"tile_cols", 32}, {"streams", 8}}};
              },
          .at_once =
              [](const Dims& dims, std::int64_t) {
                // Streams without symbols are for kernels of small tiles: one of many tiles has all.
                const bool lone = layout_of(dims).tiles() == 1 && dim(dims, "N") < 32;
                return lone ? 0 : all_tiles_but_one(dims);
              }};
}

void spoil_tiles(const Case& test_case, Problem& filled) {
  const auto layout = layout_of(test_case.dims);
  const auto first = static_cast<std::size_t>(knob_of(test_case, "defect"));
  for (std::size_t tile = 0; tile < static_cast<std::size_t>(all_tiles_but_one(test_case.dims)); ++tile) {
    if (first + tile >= defects().size()) break;
    defects()[first + tile].spoil(filled, {tile, tile * layout.streams + (first + tile) % layout.streams});
  }
}

}  // namespace assay::properties
