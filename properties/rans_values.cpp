#include "properties/rans_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "properties/draw.hpp"
#include "properties/operation.hpp"
#include "properties/rans_tensors.hpp"
#include "properties/special_values.hpp"
#include "reference/rans_frequencies.hpp"

namespace assay::properties {
namespace {

/// The first few spoil a whole row of y.
constexpr std::array<float, 8> kSpecialFloats = {std::numeric_limits<float>::quiet_NaN(),
                                                 std::numeric_limits<float>::infinity(),
                                                 -std::numeric_limits<float>::infinity(),
                                                 0x1p100F,
                                                 -0x1p100F,
                                                 std::numeric_limits<float>::denorm_min(),
                                                 std::numeric_limits<float>::min(),
                                                 -0.0F};
constexpr std::size_t kPoisonousFloats = 3;

Knob knob(std::string name, std::int64_t largest) {
  return {std::move(name), [largest](const verify::Dims&, const Arithmetic&) { return largest; }};
}

Regime damaged() {
  return {.name = "damaged",
          .about = "one thing wrong with the encoded tensors: it must be said, and spoil no other tile",
          .knobs = {{"defect",
                     [](const verify::Dims&, const Arithmetic&) -> std::int64_t { return 7; },
                     {"data that are cut off", "an offset out of range", "two offsets exchanged",
                      "a frequency that is another", "a unit of frequency moved", "a bit of the data flipped",
                      "another number of symbols", "a bit of a checksum flipped"}}},
          .needs = "status",
          .weight = 4};
}

/// Random sign and fraction, |x| in [2^low, 2^(high+1)).
float ordinary_float(int low, int high, const Words& words) {
  const auto exponent = static_cast<std::uint32_t>(between(low + 127, high + 127, words[0]));
  return std::bit_cast<float>((words[3] & 1) << 31 | exponent << 23 | (words[1] & 0x7FFFFF));
}

float integer_float(std::int64_t limit, std::uint32_t word) {
  return static_cast<float>(between(-limit, limit, word));
}

/// One symbol of a tile whose spread and first symbols are `tile`; `late` in the second half of the tile.
std::uint8_t draw_symbol(const Words& tile, const Words& words, bool late) {
  const std::uint32_t first = tile[1] % 16, second = tile[2] % 16;
  std::uint32_t symbol = first;
  switch (tile[0] % 8) {
    case 0:
    case 1:
      symbol = words[0];
      break;
    case 2:
    case 3:
      symbol = first + static_cast<std::uint32_t>(std::countl_zero(words[0] | 0x10000));
      break;
    case 4:  // one alone; or two halves, by whose second the state comes back to 2^23 every eight symbols
      if (tile[3] % 2 == 1) symbol = late ? std::min(first, second) : std::max(first, second);
      break;
    case 5:
      symbol = words[0] % 4 == 0 ? second : first;
      break;
    case 6:
      symbol = words[0] % 1000 == 0 ? second : first;
      break;
    default:
      symbol = first + words[0] % 3 * second;
  }
  return static_cast<std::uint8_t>(symbol % 16);
}

/// Special values in `count` + 1 places; those that spoil a row only where there is another.
void scatter(const Case& problem, bool may_poison, std::span<float> x) {
  const Draw draw(problem.seed, "x specials");
  const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(knob_of(problem, "count"), 0, 7)) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Words words = draw.words(i);
    const std::size_t from = may_poison ? 0 : kPoisonousFloats;
    const std::size_t to = may_poison && i == 0 ? kPoisonousFloats : kSpecialFloats.size();
    const std::size_t which = from + below(static_cast<std::uint32_t>(to - from), words[0]);
    x[below(static_cast<std::uint32_t>(x.size()), words[1])] = kSpecialFloats[which];
  }
}

}  // namespace

std::vector<Regime> rans_decode_regimes() {
  return {
      {.name = "constant", .about = "one symbol everywhere", .knobs = {knob("code", 15)}},
      {.name = "random", .about = "every tile has a spread of symbols of its own", .weight = 8},
      damaged(),
  };
}

std::vector<Regime> rans_product_regimes() {
  return {
      {.name = "constant",
       .about = "x is 1 and all symbols are the same: counts the summed columns; exact",
       .knobs = {knob("code", 15)}},
      {.name = "exact",
       .about = "small integers and a power-of-two scale: every order of summation gives the same bits",
       .knobs = {knob("range", 3)},
       .weight = 6},
      {.name = "probe",
       .about = "rows of x are unit vectors: y is a column of W",
       .knobs = {{"first", [](const verify::Dims& dims, const Arithmetic&) { return dim(dims, "N") - 1; }}},
       .weight = 4},
      {.name = "random", .about = "ordinary values, judged by the forward error bound", .weight = 4},
      {.name = "special",
       .about = "NaN, infinities, subnormals and -0 in a few places of x",
       .knobs = {knob("count", 3)},
       .weight = 2},
      damaged(),
  };
}

std::vector<std::uint8_t> draw_rans_symbols(const Case& problem) {
  const reference::RansLayout layout = layout_of(problem.dims);
  if (problem.regime == "constant") {
    const auto symbol = static_cast<std::uint8_t>((1 + knob_of(problem, "code") % 16) % 16);
    return std::vector<std::uint8_t>(layout.M * layout.N, symbol);
  }
  const Draw of_tile(problem.seed, "spread"), of_symbol(problem.seed, "symbols");
  std::vector<std::uint8_t> symbols(layout.M * layout.N);
  for (std::size_t index = 0; index < layout.tiles(); ++index) {
    const reference::RansLayout::Tile tile = layout.tile(index);
    const Words spread = of_tile.words(index);
    for (std::size_t row = tile.row; row < tile.row + tile.rows; ++row) {
      for (std::size_t column = tile.column; column < tile.column + tile.columns; ++column) {
        const std::size_t i = row * layout.N + column;
        const std::size_t position = (row - tile.row) * tile.columns + column - tile.column;
        symbols[i] = draw_symbol(spread, of_symbol.words(i), 2 * position >= tile.rows * tile.columns);
      }
    }
  }
  return symbols;
}

void fill_rans_input(const Case& problem, std::size_t batch, std::span<float> x) {
  const std::size_t N = x.size() / batch;
  const Draw draw(problem.seed, "x");
  const std::size_t first = static_cast<std::size_t>(knob_of(problem, "first")) % N;
  const std::int64_t limit = std::int64_t{1} << std::clamp<std::int64_t>(knob_of(problem, "range"), 0, 8);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (problem.regime == "constant") {
      x[i] = 1.0F;
    } else if (problem.regime == "probe") {
      x[i] = i % N == (first + i / N) % N ? 1.0F : 0.0F;
    } else if (problem.regime == "random") {
      x[i] = ordinary_float(-4, 1, draw.words(i));
    } else {
      x[i] = integer_float(limit, draw.words(i)[0]);
    }
  }
  if (problem.regime == "special") scatter(problem, batch > 1, x);
}

RansScale draw_rans_scale(const Case& problem) {
  const Words words = Draw(problem.seed, "scale").words(0), others = Draw(problem.seed, "scale").words(1);
  if (problem.regime == "constant") return {1.0F, 0.0F};
  if (problem.regime == "probe") return {ordinary_float(-20, 20, words), ordinary_float(-20, 20, others)};
  if (problem.regime == "random") return {ordinary_float(-6, -2, words), ordinary_float(-6, 1, others)};
  const float scale = std::ldexp(words[3] & 1 ? 1.0F : -1.0F, static_cast<int>(between(-2, 2, words[0])));
  return {scale, scale * integer_float(9, others[0])};
}

void damage_rans(const Case& problem, verify::Problem& filled) {
  if (problem.regime != "damaged") return;
  const Words words = Draw(problem.seed, "damage").words(0);
  const auto pick = [](std::size_t count, std::uint32_t word) {
    return static_cast<std::size_t>(below(static_cast<std::uint32_t>(count), word));
  };
  const auto freq = input(filled, "freq").as<std::uint16_t>();
  const auto offsets = input(filled, "stream_offset").as<std::uint32_t>();
  const auto counts = input(filled, "n_symbols").as<std::uint32_t>();
  const auto checksums = input(filled, "checksums").as<std::uint32_t>();
  verify::Tensor& data = input(filled, "data");
  const auto bytes = data.as<std::uint8_t>();
  const std::size_t tile = pick(counts.size(), words[0]), stream = pick(offsets.size(), words[0]);
  const std::span<std::uint16_t> own = freq.subspan(tile * reference::kRansSymbols, reference::kRansSymbols);
  const auto largest = static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
  switch (knob_of(problem, "defect")) {
    case 0: {  // truncated: by a byte or by a lot
      const std::size_t most = bytes.size() - 1;
      return resize_vector(data, bytes.size() - (words[1] % 2 == 0 ? 1 : 1 + pick(most, words[2])));
    }
    case 1:
      offsets[stream] =
          words[1] % 2 == 0 ? words[2] : static_cast<std::uint32_t>(bytes.size() - words[2] % 4);
      return;
    case 2:
      return std::swap(offsets[stream], offsets[pick(offsets.size(), words[1])]);
    case 3:
      own[words[1] % own.size()] =
          static_cast<std::uint16_t>(words[2] % 4 == 0 ? words[3] : own[words[1] % own.size()] + 1);
      return;
    case 4:  // the sum stays
      --own[largest];
      ++own[(largest + 1) % own.size()];
      return;
    case 5:
      bytes[pick(bytes.size(), words[1])] ^= static_cast<std::uint8_t>(1U << words[2] % 8);
      return;
    case 6:
      counts[tile] = words[1] % 2 == 0 ? words[2] : counts[tile] + (words[2] % 2 == 0 ? 1U : ~0U);
      return;
    default:
      checksums[stream] ^= 1U << words[1] % 32;
  }
}

}  // namespace assay::properties
