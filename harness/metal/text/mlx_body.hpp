// Bodies of kernels as MLX's mx.fast.metal_kernel takes them: the signature that is generated around one, as
// MLX's documentation of custom Metal kernels describes it.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::metal {

/// What is wrong with a body, and the manifest's field that says so: "source", "input_names[2]".
class BodyError : public std::runtime_error {
 public:
  BodyError(std::string field, const std::string& what)
      : std::runtime_error(what), field_(std::move(field)) {}
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

struct MlxInput {
  enum class Form {
    scalar,  ///< of no axis: a reference
    small,   ///< fewer than 8 elements, whatever the sizes: a pointer to constant memory
    either,  ///< fewer than 8 elements at some sizes
    large,   ///< 8 or more: a pointer to device memory
  };
  std::string name;
  std::string type;  ///< Metal's name of its elements
  Form form = Form::large;
};

struct MlxOutput {
  std::string name, type;
};

/// One of `template`: a type, an integer or a truth value.
struct MlxTemplateArgument {
  std::string name;
  std::string kind;   ///< "typename", "int" or "bool"
  std::string value;  ///< as Metal writes it
};

struct MlxCall {
  std::string function;  ///< how the kernel function is called that is made
  std::vector<MlxInput> inputs;
  std::vector<MlxOutput> outputs;
  std::vector<MlxTemplateArgument> template_arguments;
  bool atomic_outputs = false;
};

/// A file and what it holds.
struct MlxText {
  std::filesystem::path file;
  std::string text;
};

/// Which of NAME_shape, NAME_strides and NAME_ndim the body names; a parameter each, behind the input's, in
/// this order.
struct MlxLayoutWords {
  bool shape = false, strides = false, ndim = false;
};

struct MlxKernel {
  device::ComposedText text;
  std::vector<MlxLayoutWords> layouts;  ///< by input
};

/// The whole text of a kernel: what MLX has ahead of every kernel, the header, the signature, the body.
/// `header`: no file where there is none. Throws BodyError for a body that is a whole file, opens or closes a
/// brace too many, includes files or leaves an output alone, and for names that clash.
MlxKernel mlx_kernel(const MlxCall& call, const MlxText& header, const MlxText& body);

/// Metal's name of a type by MLX's ("float16", "bool_", ...); "" for what is none of them, or none of a
/// GPU's.
std::string_view metal_type_of_mlx(std::string_view dtype);
/// MLX's names of types, in the order in which messages list them.
std::vector<std::string_view> mlx_types();

/// The atomic type over a type as Metal has it; "" where Metal has none that adds.
std::string atomic_type_over(std::string_view type);

}  // namespace assay::metal
