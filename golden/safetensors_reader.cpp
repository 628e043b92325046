#include <algorithm>
#include <bit>

#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/safetensors_header.hpp"

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it lies in the file");

namespace assay::golden {

DType dtype_of(const InputFile& file, const HeaderEntry& entry) {
  std::string known;
  for (const auto& [dtype, name] : kDTypeNames) {
    if (entry.dtype == name) return dtype;
    known += " " + std::string(name);
  }
  file.fail("tensor " + escaped(entry.name) + ": dtype: " + escaped(entry.dtype) + " is not one of" + known);
}

Dataset read_safetensors(const std::filesystem::path& path) {
  const InputFile file(path);
  Header header = read_header(file);
  Dataset dataset{std::move(header.metadata), {}};
  for (HeaderEntry& entry : header.entries) {
    const DType dtype = dtype_of(file, entry);
    Tensor& tensor = dataset.tensors.emplace_back(
        Tensor{.name = std::move(entry.name), .dtype = dtype, .shape = std::move(entry.shape), .data = {}});
    tensor.data.resize(static_cast<std::size_t>(entry.end - entry.begin));
    file.read(header.data_at + entry.begin, tensor.data);
  }
  return dataset;
}

}  // namespace assay::golden
