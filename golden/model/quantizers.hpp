// The formats that weights are quantized into: each fills the tensors of a problem that have the shapes of
// its operation, and are zero.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/model/group_fit.hpp"
#include "golden/model/quantize.hpp"

namespace assay::golden {

/// Where weights come from, and what is asked of them.
struct WeightSource {
  const ModelFile& file;
  const MatrixInfo& matrix;
  const QuantizeOptions& options;
};

/// "B", "scales" and, of integers, "zeros".
WeightError quantize_packed4(const WeightSource& source, PackedFormat format, Problem& problem);

/// "packed_indices", "scales", "grid", "su" and "sv".
WeightError quantize_trellis(const WeightSource& source, Problem& problem);

/// "freq", "stream_offset", "n_symbols", "checksums" and "data", which gets its length here; "scale" and
/// "zero_point" where the operation has them. The tiles are those of the problem's dimensions.
WeightError quantize_rans(const WeightSource& source, Problem& problem, Entropy& entropy);

}  // namespace assay::golden
