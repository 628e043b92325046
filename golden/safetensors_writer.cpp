#include <algorithm>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"
#include "harness/verify/replace_file.hpp"

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it lies in memory");

namespace assay::golden {
namespace {

/// Keys stay in the order of insertion, so the header lists tensors as their data lies.
using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw FormatError(escaped(path.string(), std::string::npos) + ": " + what);
}

std::string_view format_name_of(DType dtype) {
  return std::find_if(kDTypeNames.begin(), kDTypeNames.end(),
                      [&](const auto& entry) { return entry.first == dtype; })
      ->second;
}

std::vector<const Tensor*> in_file_order(const Dataset& dataset) {
  std::vector<const Tensor*> order;
  for (const Tensor& tensor : dataset.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) {
    const std::size_t a_size = assay::size_of(a->dtype);
    const std::size_t b_size = assay::size_of(b->dtype);
    return a_size != b_size ? a_size > b_size : a->name < b->name;
  });
  return order;
}

void check(const std::filesystem::path& path, const Tensor& tensor) {
  const std::string label = "tensor " + escaped(tensor.name) + ": ";
  if (tensor.name == kMetadataKey) fail(path, label + "the format keeps this name for the metadata");
  std::size_t needed = 0;
  try {
    needed = tensor.element_count() * assay::size_of(tensor.dtype);
  } catch (const std::length_error&) {
    fail(path, label + "shape: its product does not fit in memory");
  }
  if (tensor.data.size() != needed) {
    fail(path, label + "data: has " + std::to_string(tensor.data.size()) + " bytes, dtype and shape need " +
                   std::to_string(needed));
  }
}

std::string header_of(const std::filesystem::path& path, const Dataset& dataset,
                      const std::vector<const Tensor*>& order) {
  OrderedJson header = OrderedJson::object();
  if (!dataset.metadata.empty()) header[std::string(kMetadataKey)] = dataset.metadata;
  std::size_t offset = 0;
  for (const Tensor* tensor : order) {
    check(path, *tensor);
    if (header.contains(tensor->name))
      fail(path, "tensor " + escaped(tensor->name) + ": stands twice in the dataset");
    const std::size_t end = offset + tensor->data.size();
    header[tensor->name] = {
        {"dtype", format_name_of(tensor->dtype)}, {"shape", tensor->shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const OrderedJson::type_error&) {
    fail(path, "a name or a metadata string is not UTF-8");
  }
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');  // data starts aligned
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const Dataset& dataset) {
  const std::vector<const Tensor*> order = in_file_order(dataset);
  const std::string header = header_of(path, dataset, order);

  std::string length;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i) & 0xFF);
  }
  std::vector<std::string_view> pieces = {length, header};
  for (const Tensor* tensor : order) {
    pieces.emplace_back(reinterpret_cast<const char*>(tensor->data.data()), tensor->data.size());
  }
  try {
    assay::replace_file(path, pieces);
  } catch (const std::runtime_error& error) {
    throw FormatError(error.what());
  }
}

}  // namespace assay::golden
