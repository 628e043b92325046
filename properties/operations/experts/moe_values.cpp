#include "properties/operations/experts/moe_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/experts/moe_kinds.hpp"
#include "properties/operations/experts/moe_routes.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "properties/operations/trellis/trellis_values.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

using namespace moe;

constexpr std::uint16_t kNan = 0x7E00;

// Of fill_expert(): kinds of "routes", and those of planned regimes along hidden values.
constexpr const char *kDeep = "deep", *kHigh = "high", *kHiddenBehind = "hidden behind",
                     *kHiddenRises = "hidden rises";

/// How fill_expert() makes the weights of the case.
const char* weights_regime(const Case& test_case) {
  if (is_kind(test_case, Routes::deep)) return kDeep;
  if (is_kind(test_case, Routes::high)) return kHigh;
  const bool hidden = is_along(test_case, Along::hidden);
  if (hidden && test_case.regime == kLeftBehind) return kHiddenBehind;
  if (hidden && test_case.regime == kRises) return kHiddenRises;
  return test_case.regime.c_str();
}

/// Sums over more rows grow as their square root, beyond what a half holds.
constexpr double kUsualRows = 256;

/// Sums of gates and of up that lie `gate` and `up` from 0 or some more, whatever the expert's sizes are.
/// Activations are positive, 1 or so.
void fill_constant(const TrellisMatrix& matrix, float gate, float up, const TrellisTensors& tensors) {
  const bool is_gate = matrix.prefix == moe_gate().prefix;
  if (!is_gate && matrix.prefix != moe_up().prefix) return;
  const float sum = is_gate ? gate : up;
  const auto rows = static_cast<float>(tensors.su.size());
  const std::size_t columns = tensors.sv.size();
  for (std::size_t i = 0; i < tensors.grid.size(); ++i)
    tensors.grid[i] = std::copysign(1.0F + static_cast<float>(i) / 16.0F, sum);
  for (std::size_t i = 0; i < tensors.scales.size(); ++i) {
    const float more = is_gate ? static_cast<float>(i % columns % 3) / 2 : 0.0F;
    tensors.scales[i] = (std::fabs(sum) + more) / rows;
  }
  std::fill(tensors.su.begin(), tensors.su.end(), 1.0F);
  std::fill(tensors.sv.begin(), tensors.sv.end(), 1.0F);
}

/// Gates of about -4, -12 or -17, as the expert has it, beside sums of up of some 1,000: what a gate that is
/// nearly shut lets through is all that its tokens get.
void fill_deep(const TrellisMatrix& matrix, std::size_t expert, const TrellisTensors& tensors) {
  constexpr std::array<float, 3> kDepths = {3.0F, 8.0F, 12.0F};
  fill_constant(matrix, -kDepths[expert % kDepths.size()], 1000.0F, tensors);
}

/// What silu and the product with up make of a sum of gates in the reals.
double nearly_hidden(double gate) { return gate / (1 + std::exp(-gate)) * gate * kNearlyUp; }

/// Two halves whose sum, as gate and eight times up, gives a hidden value that is below the middle between
/// two halves where it would lie above it if silu were the identity; both far enough from it to tell.
std::array<std::uint16_t, 2> nearly_gate(std::size_t token) {
  const double whole = kLeastNearly + static_cast<double>(token % kNearlyTokens);
  for (std::uint16_t bits = 0x1000; bits < 0x3800; ++bits) {  // 2^-11 to 1/2
    const double gate = whole + reference::half_to_double(bits);
    const double low = nearly_hidden(gate), high = gate * gate * kNearlyUp;
    const double below = reference::half_to_double(reference::half_from_double(low));
    const double middle = (below + reference::half_next_up(below)) / 2;
    if (low < middle - (high - low) / 4 && high > middle + (high - low) / 4)
      return {reference::half_from_double(whole), bits};
  }
  return {kOne, 0};
}

/// As "nearly" has it: all weights are the same.
void fill_nearly(const TrellisMatrix& matrix, const TrellisTensors& tensors) {
  std::fill(tensors.grid.begin(), tensors.grid.end(), 1.0F);
  std::fill(tensors.scales.begin(), tensors.scales.end(),
            matrix.prefix == moe_up().prefix ? kNearlyUp : 1.0F);
  std::fill(tensors.su.begin(), tensors.su.end(), 1.0F);
  std::fill(tensors.sv.begin(), tensors.sv.end(), 1.0F);
}

/// Gates above 65,504, which are nothing out of the ordinary for a float, beside an up that makes up for it.
void fill_high(const TrellisMatrix& matrix, std::size_t expert, const TrellisTensors& tensors) {
  constexpr std::array<float, 3> kHeights = {0x1p17F, 0x1.8p17F, 0x1p18F};
  const float height = kHeights[expert % kHeights.size()];
  fill_constant(matrix, height, 512.0F / height, tensors);  // each weight is a half
}

/// Sums of one sign. Where hidden values are left behind, one of each expert is infinite: each another, a
/// little before the last.
void leave_behind(const TrellisMatrix& matrix, std::size_t expert, bool hidden,
                  const TrellisTensors& tensors) {
  const std::size_t columns = tensors.sv.size(), before = infinity_before_last(expert);
  std::fill(tensors.sv.begin(), tensors.sv.end(), 1.0F);
  if (hidden && matrix.prefix == moe_up().prefix && before < columns)
    tensors.scales[columns - 1 - before] = HUGE_VALF;
}

/// Sums that rise along K and fall again: of gates, beside an up that makes up for it.
void rise_along_input(const TrellisMatrix& matrix, const TrellisTensors& tensors) {
  if (matrix.prefix == moe_up().prefix) std::fill(tensors.scales.begin(), tensors.scales.end(), 0x1p-13F);
}

/// Sums of down that rise along the hidden values and fall again: those of its second half are below 0.
void rise_along_hidden(const TrellisMatrix& matrix, const TrellisTensors& tensors) {
  fill_constant(matrix, 8.0F, 4.0F, tensors);
  const std::size_t columns = tensors.sv.size();
  for (std::size_t i = 0; matrix.prefix == moe_up().prefix && i < columns; ++i)
    tensors.sv[i] = 2 * i < columns ? 1.0F : -1.0F;
}

/// The weights of one expert. `problem` has a regime of products; gates are then made what `regime` says.
void fill_expert(const Case& test_case, const std::string& regime, const TrellisMatrix& matrix,
                 std::size_t expert, Problem& filled) {
  const TrellisTensors tensors = trellis_tensors(filled, matrix, expert);
  fill_trellis(test_case, matrix.sizes(test_case.dims), fmt::format("{}{} ", matrix.prefix, expert), tensors);
  if (regime != "probe" && regime != kRises && regime != kHiddenRises) {
    // unit vectors are no longer with more rows; long sums stay as large as usual ones
    const auto rows = static_cast<double>(matrix.sizes(test_case.dims).K);
    const int down = rows > kUsualRows ? static_cast<int>(std::ceil(std::log2(rows / kUsualRows) / 2)) : 0;
    for (float& scale : tensors.scales) scale = std::ldexp(scale, -down);
  }
  if (regime == kDeep) return fill_deep(matrix, expert, tensors);
  if (regime == kHigh) return fill_high(matrix, expert, tensors);
  if (regime == kNearly) return fill_nearly(matrix, tensors);
  if (regime == kLeftBehind || regime == kHiddenBehind)
    return leave_behind(matrix, expert, regime == kHiddenBehind, tensors);
  if (regime == kRises) return rise_along_input(matrix, tensors);
  if (regime == kHiddenRises) return rise_along_hidden(matrix, tensors);
  if (matrix.prefix != moe_gate().prefix) return;
  for (std::size_t i = 0; regime == "probe" && i < tensors.grid.size(); ++i) {
    tensors.grid[i] = 32.0F + 8.0F * static_cast<float>(i);
  }
  for (float& scale : tensors.scales) {
    if (regime == "steep") scale *= 32.0F;
  }
}

}  // namespace

const TrellisMatrix& moe_gate() {
  static const TrellisMatrix matrix = {"gate_", "K", "intermediate", "num_experts"};
  return matrix;
}

const TrellisMatrix& moe_up() {
  static const TrellisMatrix matrix = {"up_", "K", "intermediate", "num_experts"};
  return matrix;
}

const TrellisMatrix& moe_down() {
  static const TrellisMatrix matrix = {"down_", "intermediate", "N", "num_experts"};
  return matrix;
}

std::array<TrellisMatrix, 3> moe_matrices() { return {moe_gate(), moe_up(), moe_down()}; }

void fill_moe(const Case& test_case, Problem& filled) {
  fill_routes(test_case, filled);
  Case values = test_case;  // as products have them
  const bool as_they_are = test_case.regime == "probe" || test_case.regime == kModelLike ||
                           test_case.regime == kLeftBehind || test_case.regime == kRises;
  if (!as_they_are) values.regime = "random";
  const auto x = input(filled, "x").as<std::uint16_t>();
  fill_activations(values, x);
  const std::string regime = weights_regime(test_case);
  for (std::size_t i = 0; (regime == kDeep || regime == kHigh) && i < x.size(); ++i) x[i] &= 0x7FFF;
  if (regime == kHiddenRises) std::fill(x.begin(), x.end(), kOne);
  const std::size_t M = extent(test_case.dims, "M"), K = extent(test_case.dims, "K");
  for (std::size_t i = 0; regime == kNearly && i < x.size(); ++i)
    x[i] = i % K < 2 ? nearly_gate(i / K)[i % K] : std::uint16_t{0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_of_zeros(test_case, i / K)) x[i] = 0;
  }
  if (test_case.regime == "special") {
    const Draw places(test_case.seed, "x specials");
    const std::size_t count =
        std::min(M - 1, static_cast<std::size_t>(std::min<std::int64_t>(knob_of(test_case, "count"), 7)) + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const Words words = places.words(i);
      x[below(static_cast<std::uint32_t>(M), words[0]) * K + below(static_cast<std::uint32_t>(K), words[1])] =
          kNan;
    }
  }
  if (test_case.regime == "probe") values.regime = "exact";
  if (test_case.regime == signs_regime().regime.name) values.regime = test_case.regime;
  values.knobs.clear();
  for (const TrellisMatrix& matrix : moe_matrices()) {
    for (std::size_t e = 0; e < extent(test_case.dims, "num_experts"); ++e) {
      fill_expert(values, regime, matrix, e, filled);
    }
  }
  if (is_kind(test_case, Routes::nothing)) {
    const auto scales = trellis_tensors(filled, moe_down(), 0).scales;
    std::fill(scales.begin(), scales.end(), std::numeric_limits<float>::quiet_NaN());
  }
}

}  // namespace assay::properties
