// A kernel whose source file holds a body alone, as MLX's mx.fast.metal_kernel takes it: what the manifest
// says of the call. docs/mlx.md describes the fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace assay {

struct MlxBody {
  struct TemplateArgument {
    std::string name;
    std::variant<std::string, std::int64_t, bool> value;  ///< a string is the name of a dtype
  };
  std::vector<std::string> inputs, outputs;  ///< their names in the body
  /// Which arguments, counted through inputs and outputs, the manifest writes as lists: arrays of numbers.
  std::vector<bool> lists;
  std::vector<TemplateArgument> template_arguments;  ///< in the manifest's order
  std::filesystem::path header;                      ///< a file; empty: there is none
  bool ensure_row_contiguous = true;
  bool atomic_outputs = false;
  std::optional<double> init_value = {};  ///< outputs are filled with it; nothing: they are uninitialised
};

}  // namespace assay
