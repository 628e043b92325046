// What tests of the host side do with packed weights: dequantize them by the reference.
#pragma once

#include <random>
#include <vector>

#include "kernels/host/pack.hpp"
#include "reference/dequantize.hpp"
#include "reference/half.hpp"

namespace assay::host {

using Halves = std::vector<std::uint16_t>;

inline PackedWeights pack(WeightFormat format, std::size_t K, std::size_t N, std::size_t group_size,
                          const Halves& weights) {
  switch (format) {
    case WeightFormat::fp4:
      return pack_fp4_weights(K, N, group_size, weights);
    case WeightFormat::u4:
      return pack_u4_weights(K, N, group_size, weights);
    case WeightFormat::s4:
      return pack_s4_weights(K, N, group_size, weights);
  }
  return {};
}

/// W [K, N].
inline Halves dequantize(const PackedWeights& p,
                         reference::Int4Chain chain = reference::Int4Chain::half_chain) {
  switch (p.format) {
    case WeightFormat::fp4:
      return reference::dequantize_fp4(p.K, p.N, p.group_size, p.words, p.scales);
    case WeightFormat::u4:
      return reference::dequantize_u4(p.K, p.N, p.group_size, p.words, p.scales, p.zeros, chain);
    case WeightFormat::s4:
      return reference::dequantize_s4(p.K, p.N, p.group_size, p.words, p.scales, p.zeros, chain);
  }
  return {};
}

inline Halves to_halves(const std::vector<double>& values) {
  Halves halves;
  for (const double value : values) halves.push_back(reference::half_from_double(value));
  return halves;
}

inline std::vector<double> to_doubles(const Halves& halves) {
  std::vector<double> values;
  for (const auto half : halves) values.push_back(reference::half_to_double(half));
  return values;
}

inline Halves normal_halves(std::size_t count, double deviation, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  Halves halves;
  for (std::size_t i = 0; i < count; ++i) halves.push_back(reference::half_from_double(normal(random)));
  return halves;
}

}  // namespace assay::host
