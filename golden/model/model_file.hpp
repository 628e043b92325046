// A file of model weights (safetensors), read a few rows at a time.
//
// Linear layers lie in such files as [out_features, in_features], row-major: a row is an output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/input_file.hpp"

namespace assay::golden {

enum class WeightType { f32, f16, bf16 };

/// "F32", "F16" or "BF16", as files write it.
std::string_view name_of(WeightType type);

/// A matrix of weights in a file.
struct MatrixInfo {
  std::string name;
  WeightType type{};
  std::size_t rows = 0, columns = 0;
  std::uint64_t at = 0;  ///< where its first byte lies in the file
};

/// A tensor that holds no matrix of weights, and why.
struct LeftOut {
  std::string name, reason;
};

/// The header is read at once, weights when they are asked for and by pread, so that the file never lies in
/// memory as a whole and threads may read side by side. Nothing that the file says is trusted.
class ModelFile {
 public:
  /// Throws FormatError, one line that names the file and the tensor.
  explicit ModelFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }

  /// Two-dimensional F32, F16 and BF16 tensors that are not empty, in the order of their data.
  const std::vector<MatrixInfo>& matrices() const { return matrices_; }
  /// All others.
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  /// Rows [begin, end) of a matrix, each value exact; a NaN stays NaN. `out` has (end - begin) * columns
  /// elements: std::invalid_argument otherwise. Throws FormatError where the file has become shorter or
  /// cannot be read.
  void read_rows(const MatrixInfo& matrix, std::size_t begin, std::size_t end, std::span<float> out) const;

 private:
  InputFile file_;
  std::vector<MatrixInfo> matrices_;
  std::vector<LeftOut> left_out_;
};

/// Bits of 16-bit weights to the float of the same value. Exact; a NaN stays NaN.
float float_from_bf16(std::uint16_t bits);

}  // namespace assay::golden
