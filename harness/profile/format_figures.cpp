#include "harness/profile/format_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "reference/fp4.hpp"
#include "reference/half.hpp"
#include "reference/int4.hpp"
#include "reference/packing.hpp"
#include "reference/rans_frequencies.hpp"
#include "reference/rans_stream.hpp"
#include "reference/trellis.hpp"

namespace assay::profile {
namespace {

constexpr unsigned kFourBitCodes = 16;
constexpr std::size_t kIndicesShown = 8;  // as many as three bytes hold at 3 bits

void add_packed4(Dims& figures) {
  figures["codes_per_word"] = reference::kNibblesPerWord;
  for (std::size_t i = 0; i < reference::kNibblesPerWord; ++i) {
    std::vector<std::uint8_t> codes(reference::kNibblesPerWord, 0);
    codes[i] = kFourBitCodes - 1;
    const auto words = reference::pack_nibbles(codes, codes.size(), 1);
    figures[fmt::format("first_bit_of_code_{}", i)] = std::countr_zero(words.at(0));
  }
  for (unsigned code = 0; code < kFourBitCodes; ++code) {
    figures[fmt::format("fp4_twice_{}", code)] = static_cast<std::int64_t>(2 * reference::fp4_value(code));
    figures[fmt::format("fp4_half_{}", code)] = reference::fp4_to_half(code);
  }
  const std::uint16_t one = reference::half_from_double(1), zero = 0;
  for (unsigned code = 0; code < kFourBitCodes; ++code) {
    const auto weight = reference::s4_weight(code, one, zero, reference::Int4Chain::half_chain);
    if (reference::half_to_double(weight) == 0) figures["s4_code_of_zero"] = code;
  }
  figures["half_of_1024"] = reference::half_from_double(1024);
  figures["value_of_half_0x6400"] = static_cast<std::int64_t>(reference::half_to_double(0x6400));
}

void add_trellis(Dims& figures) {
  const std::size_t side = reference::kTrellisTile;
  figures["trellis_tile"] = static_cast<std::int64_t>(side);
  for (const unsigned bits : {2U, 3U, 4U}) {
    figures[fmt::format("trellis_tile_bytes_{}", bits)] =
        static_cast<std::int64_t>(reference::trellis_tile_bytes(bits));
    for (std::size_t i = 0; i < kIndicesShown; ++i) {
      std::vector<std::uint8_t> indices(side * side, 0);
      indices[i] = static_cast<std::uint8_t>((1U << bits) - 1);
      const auto packed = reference::pack_trellis(indices, side, side, bits);
      const auto first = std::find_if(packed.begin(), packed.end(), [](auto byte) { return byte != 0; });
      figures[fmt::format("trellis_first_bit_{}_{}", bits, i)] =
          8 * (first - packed.begin()) + std::countr_zero(*first);
      figures[fmt::format("trellis_bytes_{}_{}", bits, i)] =
          std::count_if(packed.begin(), packed.end(), [](auto byte) { return byte != 0; });
    }
  }
}

void add_rans(Dims& figures) {
  figures["rans_symbols"] = reference::kRansSymbols;
  figures["rans_slots"] = reference::kRansSlots;
  figures["rans_scale_bits"] = reference::kRansScaleBits;
  figures["rans_lower_bound"] = reference::kRansLowerBound;
  figures["rans_state_bytes"] = reference::kRansStateBytes;
}

Dims made() {
  Dims figures;
  add_packed4(figures);
  add_trellis(figures);
  add_rans(figures);
  Dims prefixed;
  for (const auto& [name, value] : figures) prefixed["format_" + name] = value;
  return prefixed;
}

}  // namespace

const Dims& format_figures() {
  static const Dims figures = made();
  return figures;
}

}  // namespace assay::profile
