// Kernel functions of a Metal file: where they stand, and what their parameters ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// One entry of an attribute list: `name` or `name(argument)`.
struct Attribute {
  std::string name, argument;
};
std::vector<Attribute> attributes_in(const std::vector<Token>& tokens, TokenRange inside);

/// One parameter of a kernel function, with its attributes (Apple's Metal Shading Language Specification,
/// section 5.2).
struct KernelParameter {
  std::string name;          ///< the last word of its type if it has no name
  bool named = false;        ///< does it have one?
  std::string attribute;     ///< "buffer", "thread_position_in_grid", ...; "" if there is none
  bool pointer = false;      ///< T* or T&
  bool reference = false;    ///< T&
  bool constant = false;     ///< in the constant address space
  bool threadgroup = false;  ///< in the threadgroup address space
  std::uint32_t file = 0, line = 0;
};

/// A kernel function definition, template or not.
struct KernelFunction {
  std::string name;             ///< qualified by its namespaces
  std::string host_name;        ///< [[host_name("x")]], or ""
  std::size_t declaration = 0;  ///< index among the declarations
  bool is_template = false;
  /// So many arguments may a template be given.
  std::size_t least_arguments = 0, most_arguments = 0;
  std::vector<KernelParameter> parameters;
  std::uint32_t file = 0, line = 0;
};

/// `template [[host_name("x")]] kernel ... f<...>;`
struct KernelInstantiation {
  std::size_t declaration = 0;  ///< index among the declarations
  std::string host_name;
  std::string function;                     ///< the template's name
  std::string template_id;                  ///< e.g. "gemm<float, 4>"
  std::size_t arguments = 0;                ///< how many of them, 2 there
  std::vector<KernelParameter> parameters;  ///< if it writes them out
};

struct KernelIndex {
  std::vector<KernelFunction> functions;
  std::vector<KernelInstantiation> instantiations;
};

/// Is this declaration marked `kernel` or [[kernel]]?
bool is_kernel(const TokenText& text, const Declaration& declaration);

/// The kernels among the declarations. Throws CompileError where one is cut short.
KernelIndex index_kernels(const TokenText& text, const std::vector<Declaration>& declarations);

/// The parameters between "(" at `open` and its ")", one range each.
std::vector<TokenRange> parameter_ranges(const std::vector<Token>& tokens, std::size_t open);

/// The parts between "<" at `open` and its ">", one range each.
std::vector<TokenRange> ranges_in_angles(const std::vector<Token>& tokens, std::size_t open);

}  // namespace assay::metal
