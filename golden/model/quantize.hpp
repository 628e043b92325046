// A matrix of a model as a problem of an operation: its weights quantized into the operation's format, and
// activations by seed beside them (docs/golden.md, "From the weights of a model").
//
// A layer [out_features, in_features] becomes W [K, N] of packed and trellis weights, K = in_features and
// N = out_features, so that column n of W is row n of the file; of rANS weights W [M, N] as the file has it.
//
// The same file and options give the same bytes on every machine, whatever compiler and number of threads:
// only +, -, *, / and sqrt are used, each rounded once, and sums have an order of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "golden/model/model_file.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {

/// This matrix cannot become a problem of this operation. The text is one line that names file, tensor and
/// operation: a weight that is NaN or infinite, by row and column, or sizes that the operation does not take.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct QuantizeOptions {
  std::size_t tokens = 8;  ///< rows of activations: M, or batch
  std::size_t group_size = 128;
  unsigned bits = 4;                           ///< of trellis indices; the grid has 2^bits levels
  std::size_t tile_rows = 64, tile_cols = 64;  ///< of rANS, but for rans_gemv, where a row is a tile
  std::size_t streams = 0;                     ///< of rANS; 0: 32 for rans_gemv, else 8
  std::size_t parallel = 4;                    ///< of gemm_fp4_striped: slices of K
  std::size_t threadgroups = 8;                ///< of gemm_fp4_striped: how many share the work
  std::uint64_t seed = 1;                      ///< of activations and of signs su, sv
  unsigned threads = 1;
};

/// How far weights are from those of the file. Each is taken as the format stands for it: a half, or the
/// float RN32(RN32(symbol * scale) + zero_point) of rANS.
struct WeightError {
  double maximum = 0;   ///< largest |decoded - weight|
  double rms = 0;       ///< root of the mean square
  double relative = 0;  ///< rms / the rms of the weights; 0 where these are all 0
};

/// What rANS makes of the symbols, in bits a weight.
struct Entropy {
  double matrix = 0;   ///< of all symbols together
  double tiles = 0;    ///< of those of each tile by itself: no stream with frequencies by tile takes less
  double streams = 0;  ///< what the streams take, start states included
};

struct Quantized {
  Problem problem;  ///< all inputs; outputs are declared, not solved
  /// One of the operation's: activations are as it draws them ("random").
  std::string regime;
  WeightError error;
  double bits_per_weight = 0;  ///< of all tensors that stand for weights, scales and the like included
  std::optional<Entropy> entropy = {};
};

/// The operations that take the weights of a model, ascending by name.
const std::vector<std::string>& model_operations();

/// The dimensions that the problem will have, but for those that follow from its values. Throws Refused for
/// sizes that the operation does not take, and where it is not one of model_operations(); reads no weights.
Dims model_dims(const properties::Operation& operation, const ModelFile& file, const MatrixInfo& matrix,
                const QuantizeOptions& options);

/// Throws Refused, and FormatError where the file cannot be read. Beside the problem it holds a few rows for
/// each thread; of rANS, the compressed data once more.
Quantized quantize(const properties::Operation& operation, const ModelFile& file, const MatrixInfo& matrix,
                   const QuantizeOptions& options);

}  // namespace assay::golden
