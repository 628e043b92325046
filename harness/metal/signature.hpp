// Kernel functions of a Metal file: where they stand, and what their parameters ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Half-open range of token indices.
struct TokenRange {
  std::size_t begin = 0, end = 0;
};

/// One parameter of a kernel function. MSL specification, section 5.2: attributes of parameters.
struct KernelParameter {
  std::string name;
  std::string attribute;   ///< "buffer", "thread_position_in_grid", ...; "" if there is none
  std::string index;       ///< expression in buffer(...), threadgroup(...); "" if there is none
  bool pointer = false;    ///< T* or T&
  bool reference = false;  ///< T&
  bool constant = false;   ///< in the constant address space
  std::uint32_t file = 0, line = 0;
};

/// A kernel function definition, template or not.
struct KernelFunction {
  std::string name;  ///< qualified by its namespaces
  TokenRange range;  ///< from `template`, attributes or `kernel` up to the closing brace
  std::size_t keyword = 0;
  bool is_template = false;
  std::vector<KernelParameter> parameters;
};

/// `template [[host_name("x")]] kernel ... f<...>;`
struct KernelInstantiation {
  std::string host_name;
  std::string function;     ///< the template's name
  std::string template_id;  ///< e.g. "gemm<float, 4>"
  TokenRange range;
};

struct KernelIndex {
  std::vector<KernelFunction> functions;
  std::vector<KernelInstantiation> instantiations;
};

/// Finds every kernel of the text. Throws CompileError where a kernel is cut short.
KernelIndex index_kernels(const TokenText& text);

/// Is there "[[" at token i (two adjacent brackets)? Returns the index behind the closing "]]", or nothing.
std::optional<std::size_t> attribute_end(const std::vector<Token>& tokens, std::size_t i);

/// One entry of an attribute list: `name` or `name(argument)`.
struct Attribute {
  std::string name, argument;
};
std::vector<Attribute> attributes_in(const std::vector<Token>& tokens, TokenRange inside);

}  // namespace assay::metal
