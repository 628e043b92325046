#include "golden/model/weight_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "golden/model/quantize.hpp"

namespace assay::golden {
namespace {

bool all_weights_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::uint32_t found = 0;
  for (const float value : values)
    found |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
  return found == 0;
}

}  // namespace

WeightRows::WeightRows(const ModelFile& file, const MatrixInfo& matrix, std::size_t begin, std::size_t end)
    : begin_(begin), columns_(matrix.columns), values_((end - begin) * matrix.columns) {
  file.read_rows(matrix, begin, end, values_);
  if (all_weights_finite(values_)) return;
  const auto bad =
      std::find_if(values_.begin(), values_.end(), [](float value) { return !std::isfinite(value); });
  const auto at = static_cast<std::size_t>(bad - values_.begin());
  throw Refused(fmt::format("the weight of row {}, column {} is {}, which no format can store",
                            begin + at / columns_, at % columns_, std::isnan(*bad) ? "NaN" : "infinite"));
}

}  // namespace assay::golden
