#include "kernels/host/packed_weights.hpp"

#include <stdexcept>

#include "reference/groups.hpp"
#include "reference/packing.hpp"
#include "reference/shape.hpp"

namespace assay::host {

std::string_view name_of(WeightFormat format) {
  switch (format) {
    case WeightFormat::fp4:
      return "fp4";
    case WeightFormat::u4:
      return "u4";
    case WeightFormat::s4:
      return "s4";
  }
  throw std::invalid_argument("format: no such weight format");
}

void check(const PackedWeights& weights) {
  name_of(weights.format);
  reference::check_positive("K", weights.K);
  reference::check_positive("N", weights.N);
  reference::check_group_size(weights.group_size);
  reference::check_elements("words", weights.words.size(),
                            reference::ceil_div(weights.K, reference::kNibblesPerWord), weights.N,
                            "ceil(K/8) x N");
  const std::size_t groups = reference::group_count(weights.K, weights.group_size);
  reference::check_elements("scales", weights.scales.size(), groups, weights.N, "ceil(K/group_size) x N");
  if (weights.format != WeightFormat::fp4) {
    reference::check_elements("zeros", weights.zeros.size(), groups, weights.N, "ceil(K/group_size) x N");
  } else if (!weights.zeros.empty()) {
    throw std::invalid_argument("zeros: FP4 weights have no zero points; leave it empty");
  }
}

}  // namespace assay::host
