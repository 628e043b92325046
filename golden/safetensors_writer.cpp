#include "golden/safetensors.hpp"
#include "golden/safetensors_file.hpp"
#include "golden/safetensors_format.hpp"

namespace assay::golden {

void write_safetensors(const std::filesystem::path& path, const Dataset& dataset) {
  std::vector<TensorLayout> layout;
  for (const Tensor& tensor : dataset.tensors) layout.push_back({tensor.name, tensor.dtype, tensor.shape});
  SafetensorsFile file(path, dataset.metadata, std::move(layout));
  for (const Tensor& tensor : dataset.tensors) {
    const std::size_t needed = tensor.element_count() * assay::size_of(tensor.dtype);
    if (tensor.data.size() != needed) {
      throw FormatError(escaped(path.string(), std::string::npos) + ": tensor " + escaped(tensor.name) +
                        ": data: has " + std::to_string(tensor.data.size()) +
                        " bytes, dtype and shape need " + std::to_string(needed));
    }
    file.write(tensor.name, 0, tensor.data);
  }
  file.finish();
}

}  // namespace assay::golden
