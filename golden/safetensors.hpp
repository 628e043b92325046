// Datasets in files of the safetensors layout: 8 bytes little-endian header length, a JSON header, raw
// little-endian data (docs/formats.md, "Golden files").
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assay/tensor.hpp"

namespace assay::golden {

/// A file that is not what its format asks for, or a dataset that the format cannot hold. The text is one
/// line that names the file, the tensor and field, what is wrong and what would be right.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Named tensors and what is said about them: shapes, parameters, provenance.
struct Dataset {
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors;

  /// The tensor of that name, or nullptr.
  const Tensor* find(std::string_view name) const;
};

/// Reads and checks a whole file; tensors come in the order of their data. Nothing in the file is trusted:
/// header length, JSON, types, shapes and offsets are checked against each other and the file's size before
/// anything of that size is allocated. Throws FormatError.
Dataset read_safetensors(const std::filesystem::path& path);

/// Writes the dataset; equal datasets give equal bytes, whatever the order of their tensors. Tensors are laid
/// out by falling element size, then name, which aligns each of them. Throws FormatError.
void write_safetensors(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace assay::golden
