// y = W x, and y = x W^T for a batch of x, with rANS weights, in float32 (docs/formats.md, "rANS").
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "properties/cases/model_values.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/operations/rans/rans_counterfactuals.hpp"
#include "properties/operations/rans/rans_damage.hpp"
#include "properties/operations/rans/rans_defects.hpp"
#include "properties/operations/rans/rans_operation.hpp"
#include "properties/operations/rans/rans_states.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "properties/operations/rans/rans_values.hpp"
#include "reference/rans_product.hpp"

namespace assay::properties {
namespace {

/// "rans_gemv": x [N], y [M], a row a tile. "rans_gemm": x [batch, N], y [batch, M].
OperationDeclaration declare(bool batched) {
  OperationDeclaration declared = {
      .name = batched ? "rans_gemm" : "rans_gemv",
      .tensors = rans_specs(),
      .dimensions =
          {
              // A row that is a tile costs a table of 4096 slots.
              {.name = "M", .tile = &Tile::m, .largest = 257, .huge = batched, .hidden = true},
              {.name = "N",
               .tile = &Tile::n,
               .related = {"streams"},
               .largest = 4096,
               .reduced = true,
               .hidden = true},
              streams_dimension(),
          },
      .regimes = rans_product_regimes(),
      .counts = {data_bytes_count()},
      .factors = {"x"},
      .numbers = {{"x"}},
      .layer = {.tokens = "batch", .outputs = "M", .inputs = "N"},
  };
  const auto one = [](const Dims&) { return std::vector<std::size_t>{1}; };
  const auto vectors = [&](const char* length) {
    return batched ? shape_of({"batch", length}) : shape_of({length});
  };
  for (const char* name : {"scale", "zero_point"})
    declared.tensors.push_back({.name = name, .dtype = DType::f32, .shape = one, .single = true});
  declared.tensors.push_back({"x", DType::f32, Role::input, vectors("N")});
  declared.tensors.push_back({"y", DType::f32, Role::output, vectors("M")});
  declared.tensors.push_back(status_spec());
  if (batched) {
    declared.dimensions.insert(declared.dimensions.begin(), {.name = "batch", .largest = 257});
    declared.dimensions.push_back({.name = "tile_rows", .choices = {64, 128}});
    declared.dimensions.push_back({.name = "tile_cols", .choices = {64, 32}});
  }
  declared.planned = {rans_checksums_regime(),
                      rans_cut_regime(),
                      rans_defects_regime(),
                      rans_states_regime(),
                      rans_scales_regime(),
                      rans_left_behind_regime(),
                      rans_rises_regime(),
                      model_regime([](const Tile&) {
                        return std::vector<Dims>{{{"batch", 3}, {"M", 130}, {"N", 97}}};
                      })};
  for (PlannedRegime& planned : rans_stream_regimes()) declared.planned.push_back(std::move(planned));
  declared.planned_sizes = [](const Tile&) { return ragged_rans_tiles(); };
  declare_planted({{"x", batched ? "batch" : "", 0, "N"}}, declared, [](const Tile&) {
    return std::vector<Dims>{{{"batch", 7}, {"M", 9}, {"N", 97}}};
  });
  declare_plain_starts({{"x", 1}, {"x", 0}}, declared, past_plain_starts);
  return declared;
}

class RansProduct final : public RansOperation {
 public:
  explicit RansProduct(bool batched) : RansOperation(declare(batched)), batched_(batched) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    if (arithmetic.accumulate != Precision::float_precision) {
      throw Unjudgeable("accumulate: products with rANS weights are sums in float");
    }
    const reference::RansTiles decoded = reference::decode_sound_tiles(rans_view(problem));
    const auto weights = arithmetic.flushed
                             ? reference::flushed_rans_weights(input(problem, "scale").as<float>()[0],
                                                               input(problem, "zero_point").as<float>()[0])
                             : weights_of(problem);
    return list_of(expect_product(problem, decoded, weights), expect_status(decoded.sound));
  }

  std::vector<OtherAnswers> other_answers(const Problem& problem) const override {
    std::vector<OtherAnswers> all;
    const auto add = [&](const std::string& words, const reference::RansTiles& decoded,
                         const reference::RansWeights& weights) {
      all.push_back({words, {expect_product(problem, decoded, weights), expect_status(decoded.sound)}});
    };
    for (const OtherDecoding& other : other_decodings(problem))
      add(other.words, other.tiles, weights_of(problem));
    const float scale = input(problem, "scale").as<float>()[0];
    const float zero_point = input(problem, "zero_point").as<float>()[0];
    reference::RansWeights weights{};
    for (std::size_t s = 0; s < reference::kRansSymbols; ++s)
      weights.contracted[s] = weights.separate[s] = (static_cast<float>(s) + zero_point) * scale;
    add("zero_point were added before the scale", reference::decode_sound_tiles(rans_view(problem)), weights);
    return all;
  }

  void cover(const Problem& problem, Coverage& coverage) const override { cover_rans(problem, coverage); }
  std::vector<std::string> wanted_coverage() const override { return wanted_rans_coverage(); }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    const std::vector<std::uint8_t> symbols = draw_rans_symbols(test_case);
    put_symbols(symbols, draw_rans_frequencies(test_case, symbols), filled);
    damage_rans(test_case, filled);
    const auto [scale, zero_point] = draw_rans_scale(test_case);
    input(filled, "scale").as<float>()[0] = scale;
    input(filled, "zero_point").as<float>()[0] = zero_point;
    fill_rans_input(test_case, batch(test_case.dims), input(filled, "x").as<float>());
  }

 private:
  std::size_t batch(const Dims& dims) const { return batched_ ? extent(dims, "batch") : 1; }

  static reference::RansWeights weights_of(const Problem& problem) {
    return reference::rans_weights(input(problem, "scale").as<float>()[0],
                                   input(problem, "zero_point").as<float>()[0]);
  }

  Expectation expect_product(const Problem& problem, const reference::RansTiles& decoded,
                             const reference::RansWeights& weights) const {
    const reference::RansLayout layout = layout_of(problem.dims);
    const reference::RansSums sums = reference::rans_sums(
        batch(problem.dims), layout.M, layout.N, decoded.symbols, weights, input(problem, "x").as<float>());
    std::vector<bool> sound_row(layout.tiles_down(), true);
    for (std::size_t i = 0; i < decoded.sound.size(); ++i) {
      if (!decoded.sound[i]) sound_row[i / layout.tiles_across()] = false;
    }
    Expectation expected;
    expected.tensor = "y";
    for (std::size_t i = 0; i < sums.low.size(); ++i) {
      const bool sound = sound_row[i % layout.M / layout.tile_rows];
      const auto right = sound ? interval(sums, i, layout.N) : reference::RansInterval{NAN, NAN};
      expected.low.push_back(static_cast<double>(right.low));
      expected.high.push_back(static_cast<double>(right.high));
      expected.value.push_back(sound ? 0.5 * (sums.low[i] + sums.high[i])
                                     : std::numeric_limits<double>::quiet_NaN());
    }
    expected.bound =
        "weights rounded once or twice, their sum within N u / (1 - N u) * sum|w x|, u = 2^-24; NaN "
        "where a tile of the row is damaged";
    return expected;
  }

  static reference::RansInterval interval(const reference::RansSums& sums, std::size_t i, std::size_t N) try {
    return reference::rans_interval(sums, i, N);
  } catch (const std::domain_error& nothing) {
    throw Unjudgeable(nothing.what());
  }

  bool batched_;
};

const RegisterOperation kRansGemv("rans_gemv", [] { return std::make_unique<RansProduct>(false); });
const RegisterOperation kRansGemm("rans_gemm", [] { return std::make_unique<RansProduct>(true); });

}  // namespace
}  // namespace assay::properties
