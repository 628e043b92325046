// The symbols [M, N] of rANS tiles (docs/formats.md, "rANS").
#include <memory>

#include "properties/operations/rans/rans_counterfactuals.hpp"
#include "properties/operations/rans/rans_damage.hpp"
#include "properties/operations/rans/rans_defects.hpp"
#include "properties/operations/rans/rans_operation.hpp"
#include "properties/operations/rans/rans_states.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "properties/operations/rans/rans_values.hpp"

namespace assay::properties {
namespace {

/// What a kernel writes where a tile is damaged: no symbol.
constexpr double kNoSymbol = 255.0;

OperationDeclaration declare_rans_decode() {
  OperationDeclaration declared = {
      .name = "rans_decode",
      .tensors = rans_specs(),
      .dimensions =
          {
              // Every tile has a table of 4096 slots, however small it is: not too many of them.
              {.name = "M", .tile = &Tile::m, .related = {"tile_rows"}, .largest = 300, .hidden = true},
              {.name = "N",
               .tile = &Tile::n,
               .related = {"tile_cols", "streams"},
               .largest = 600,
               .hidden = true},
              {.name = "tile_rows", .choices = {64, 1, 128, 3}},
              {.name = "tile_cols", .choices = {64, 32, 4096}},
              streams_dimension(),
          },
      .regimes = rans_decode_regimes(),
      .counts = {data_bytes_count()},
  };
  declared.tensors.push_back({"symbols", DType::u8, Role::output, shape_of({"M", "N"})});
  declared.tensors.push_back(status_spec());
  declared.planned.push_back(rans_checksums_regime());
  declared.planned.push_back(rans_cut_regime());
  declared.planned.push_back(rans_defects_regime());
  declared.planned.push_back(rans_states_regime());
  for (PlannedRegime& planned : rans_stream_regimes()) declared.planned.push_back(std::move(planned));
  declared.planned_sizes = [](const Tile&) { return ragged_rans_tiles(); };
  return declared;
}

class RansDecode final : public RansOperation {
 public:
  RansDecode() : RansOperation(declare_rans_decode()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic&) const override {
    check_problem(problem);
    return expect_tiles(problem, reference::decode_sound_tiles(rans_view(problem)));
  }

  std::vector<OtherAnswers> other_answers(const Problem& problem) const override {
    std::vector<OtherAnswers> all;
    for (const OtherDecoding& other : other_decodings(problem))
      all.push_back({other.words, expect_tiles(problem, other.tiles)});
    return all;
  }

  void cover(const Problem& problem, Coverage& coverage) const override { cover_rans(problem, coverage); }
  std::vector<std::string> wanted_coverage() const override { return wanted_rans_coverage(); }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    const std::vector<std::uint8_t> symbols = draw_rans_symbols(test_case);
    put_symbols(symbols, draw_rans_frequencies(test_case, symbols), filled);
    damage_rans(test_case, filled);
  }

 private:
  static std::vector<Expectation> expect_tiles(const Problem& problem, const reference::RansTiles& decoded) {
    const reference::RansLayout layout = layout_of(problem.dims);
    Expectation symbols;
    symbols.tensor = "symbols";
    symbols.value.assign(decoded.symbols.begin(), decoded.symbols.end());
    for (std::size_t i = 0; i < decoded.sound.size(); ++i) {
      if (decoded.sound[i]) continue;
      const reference::RansLayout::Tile tile = layout.tile(i);
      for (std::size_t e = 0; e < tile.size(); ++e) {
        symbols.value[(tile.row + e / tile.columns) * layout.N + tile.column + e % tile.columns] = kNoSymbol;
      }
    }
    symbols.low = symbols.value;
    symbols.high = symbols.value;
    symbols.bound = "the symbols that were encoded, 255 in damaged tiles";
    return {symbols, expect_status(decoded.sound)};
  }
};

const RegisterOperation kRansDecode("rans_decode", [] { return std::make_unique<RansDecode>(); });

}  // namespace
}  // namespace assay::properties
