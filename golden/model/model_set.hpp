// Golden sets made of the weights of a model (docs/golden.md, "From the weights of a model").
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "golden/make.hpp"
#include "golden/model/quantize.hpp"
#include "golden/model/weight_report.hpp"

namespace assay::golden {

/// What a file of such a set says of its source, in place of kSource.
inline constexpr std::string_view kModelSource = "assay golden make --from";

struct ModelRequest {
  std::filesystem::path model;
  /// Of the tensors whose names match one of these, as a shell's patterns of file names; empty: all matrices.
  std::vector<std::string> tensors = {};
  /// Of model_operations(); empty: the products of each format.
  std::vector<std::string> operations = {};
  std::vector<std::string> shapes = {};  ///< "M=16": tokens, at most one
  std::optional<std::int64_t> group_size = {}, bits = {};
  std::optional<std::string> arithmetic = {};  ///< as SetRequest has it
  std::uint64_t seed = 1;                      ///< of activations
};

/// "from=model.safetensors seed=1 tokens=8 ...": as files say where they come from. Names that are not plain
/// are quoted.
std::string to_line(const ModelRequest& request);

struct MadeModel {
  Made made;
  std::vector<WeightReport> reports;  ///< of every file of the set that is there, and of what was refused
  std::vector<LeftOut> left_out;      ///< tensors that hold no matrix of weights
};

/// Writes a file for each matrix and operation, and the index, as make() does. The model is read a few rows
/// at a time, and once as a whole before anything is written: a file is kept only if the weights are those
/// that it was made of. What cannot be made is among the reports, with its reason. Throws
/// std::invalid_argument that names the field, FormatError.
MadeModel make(const ModelRequest& request, const std::filesystem::path& directory,
               const MakeOptions& options = {});

}  // namespace assay::golden
