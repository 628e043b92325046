#include <algorithm>

#include "golden/model/quantizers.hpp"
#include "golden/model/row_blocks.hpp"
#include "golden/model/weight_error.hpp"
#include "golden/model/weight_rows.hpp"
#include "reference/half.hpp"
#include "reference/packing.hpp"

namespace assay::golden {
namespace {

/// Columns of B side by side, so that a line of the cache is written by one thread, several times over.
constexpr std::size_t kPackedRows = 32;

}  // namespace

WeightError quantize_packed4(const WeightSource& source, PackedFormat format, Problem& problem) {
  const std::size_t N = source.matrix.rows, K = source.matrix.columns;
  const std::size_t group_size = source.options.group_size;
  const auto words = assay::input(problem, "B").as<std::uint32_t>();
  const auto scales = assay::input(problem, "scales").as<std::uint16_t>();
  const bool has_zeros = format != PackedFormat::fp4;
  const auto zeros =
      has_zeros ? assay::input(problem, "zeros").as<std::uint16_t>() : std::span<std::uint16_t>();
  const double offset = format == PackedFormat::s4 ? 8 : 0;
  std::vector<RowError> errors(N);
  for_row_blocks(N, kPackedRows, source.options.threads, [&](std::size_t begin, std::size_t end) {
    const WeightRows rows(source.file, source.matrix, begin, end);
    GroupFit fit(format);
    std::vector<std::uint8_t> codes(std::min(group_size, K));
    for (std::size_t n = begin; n < end; ++n) {
      for (std::size_t first = 0; first < K; first += group_size) {
        const auto group = rows.row(n).subspan(first, std::min(group_size, K - first));
        const FittedGroup fitted = fit.fit(group, std::span(codes).first(group.size()));
        std::array<double, 16> weights{};
        for (unsigned code = 0; code < weights.size(); ++code) weights[code] = fit.weight(fitted, code);
        scales[first / group_size * N + n] = fitted.scale;
        if (has_zeros) zeros[first / group_size * N + n] = reference::half_from_double(fitted.zero - offset);
        for (std::size_t i = 0; i < group.size(); ++i) {
          const std::size_t k = first + i;
          words[k / reference::kNibblesPerWord * N + n] |= std::uint32_t{codes[i]}
                                                           << (4 * (k % reference::kNibblesPerWord));
          errors[n].add(weights[codes[i]], static_cast<double>(group[i]));
        }
      }
    }
  });
  return error_of_rows(errors, N * K);
}

}  // namespace assay::golden
