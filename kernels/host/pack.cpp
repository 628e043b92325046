#include "kernels/host/pack.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/host/group_quantizer.hpp"
#include "reference/groups.hpp"
#include "reference/half.hpp"
#include "reference/packing.hpp"
#include "reference/shape.hpp"

namespace assay::host {
namespace {

void check_weights(std::size_t K, std::size_t N, std::size_t group_size,
                   std::span<const std::uint16_t> weights) {
  reference::check_positive("K", K);
  reference::check_positive("N", N);
  reference::check_group_size(group_size);
  reference::check_elements("weights", weights.size(), K, N, "K x N");
  const auto nan = std::find_if(weights.begin(), weights.end(), reference::half_is_nan);
  if (nan != weights.end()) {
    const auto at = static_cast<std::size_t>(nan - weights.begin());
    throw std::invalid_argument("weights: element (" + std::to_string(at / N) + ", " +
                                std::to_string(at % N) + ") is NaN, which no four-bit code stands for");
  }
}

double finite_value(std::uint16_t half) {
  return std::clamp(reference::half_to_double(half), -reference::kHalfMax, reference::kHalfMax);
}

PackedWeights pack(WeightFormat format, std::size_t K, std::size_t N, std::size_t group_size,
                   std::span<const std::uint16_t> weights) {
  check_weights(K, N, group_size, weights);
  PackedWeights packed{.format = format, .K = K, .N = N, .group_size = group_size, .words = {}, .scales = {}};
  std::vector<std::uint8_t> codes(weights.size());
  std::vector<double> group;
  const std::size_t groups = reference::group_count(K, group_size);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = g * group_size;
    const std::size_t end = begin + std::min(group_size, K - begin);
    for (std::size_t n = 0; n < N; ++n) {
      group.clear();
      for (std::size_t k = begin; k < end; ++k) group.push_back(finite_value(weights[k * N + n]));
      const auto quantizer =
          format == WeightFormat::fp4 ? GroupQuantizer::fp4(group) : GroupQuantizer::int4(group);
      for (std::size_t k = begin; k < end; ++k) {
        codes[k * N + n] = static_cast<std::uint8_t>(quantizer.code_of(group[k - begin]));
      }
      packed.scales.push_back(quantizer.scale());
      if (format != WeightFormat::fp4) {
        const double offset = format == WeightFormat::s4 ? 8 : 0;
        packed.zeros.push_back(reference::half_from_double(quantizer.zero() - offset));
      }
    }
  }
  packed.words = reference::pack_nibbles(codes, K, N);
  return packed;
}

}  // namespace

PackedWeights pack_fp4_weights(std::size_t K, std::size_t N, std::size_t group_size,
                               std::span<const std::uint16_t> weights) {
  return pack(WeightFormat::fp4, K, N, group_size, weights);
}

PackedWeights pack_u4_weights(std::size_t K, std::size_t N, std::size_t group_size,
                              std::span<const std::uint16_t> weights) {
  return pack(WeightFormat::u4, K, N, group_size, weights);
}

PackedWeights pack_s4_weights(std::size_t K, std::size_t N, std::size_t group_size,
                              std::span<const std::uint16_t> weights) {
  return pack(WeightFormat::s4, K, N, group_size, weights);
}

}  // namespace assay::host
