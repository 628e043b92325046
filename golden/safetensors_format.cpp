#include "golden/safetensors_format.hpp"

#include <nlohmann/json.hpp>

#include "golden/safetensors.hpp"

namespace assay::golden {

std::string escaped(std::string_view text, std::size_t longest) {
  const nlohmann::json json(std::string(text.substr(0, longest)));
  // Control characters and everything beyond ASCII become \u escapes; what is no UTF-8 becomes U+FFFD.
  const std::string dumped = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() > longest ? dumped + "..." : dumped;
}

std::string with_file(const std::filesystem::path& path, const std::string& what) {
  const bool named = what.find(path.string()) <= 1;  // it may stand in quotes
  return named ? what : path.string() + ": " + what;
}

const Tensor* Dataset::find(std::string_view name) const {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

}  // namespace assay::golden
