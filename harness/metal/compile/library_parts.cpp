#include "harness/metal/compile/library_parts.hpp"

namespace assay::metal {
namespace {

bool names_texture(const Token& token) {
  return token.text.starts_with("texture") || token.text.starts_with("depth2d") ||
         token.text.starts_with("depthcube") || token.is("sampler");
}

// Words that nobody has for anything else: neither `tensor` nor `extents` is among them. That of the
// namespace is, since a text may say `using namespace mpp` without using it.
bool names_tensor(const Token& token) {
  return token.is_any({"tensor_inline", "tensor_handle", "dextents", "dynamic_extent", "dynamic_length_v",
                       "cooperative_tensor", "mpp", "matmul2d", "matmul2d_descriptor", "execution_simdgroup",
                       "execution_simdgroups"});
}

// Functions of stdlib/metal/granted.h; Apple's compiler has other names for them
// (stdlib/metal/compiler_functions.h).
bool is_granted(const Token& token) {
  return token.is_any({"acos",   "acosh",  "asin", "asinh", "atan", "atan2", "atanh", "cos",  "cosh", "cospi",
                       "divide", "exp",    "exp2", "exp10", "log",  "log2",  "log10", "pow",  "powr", "rsqrt",
                       "sin",    "sincos", "sinh", "sinpi", "sqrt", "tan",   "tanh",  "tanpi"}) ||
         token.text.starts_with("__metal_");
}

// `template <matmul2d_descriptor what, ...>`: behind an angle or a comma, the namespaces aside.
bool takes_descriptors(const TokenText& text) {
  bool begins = false, taken = false;  // behind such a mark; behind that and the type
  for (const Token& token : text.tokens) {
    if (!token.significant() || token.is("::") || token.is("mpp") || token.is("tensor_ops")) continue;
    if (taken && token.is_word()) return true;
    taken = begins && token.is("matmul2d_descriptor");
    begins = token.is("<") || token.is(",");
  }
  return false;
}

}  // namespace

std::vector<std::string> LibraryParts::flags(Numerics numerics) const {
  std::vector<std::string> flags;
  if (textures) flags.push_back("-DASSAY_TEXTURES=1");
  if (tensors) flags.push_back("-DASSAY_TENSORS=1");
  if (distributed_matrices) flags.push_back("-DASSAY_DISTRIBUTED_MATRICES=1");
  if (granted && numerics == Numerics::approximate) flags.emplace_back("-DASSAY_APPROXIMATE=1");
  if (descriptors_as_arguments) flags.insert(flags.end(), {"-std=gnu++20", "-fno-char8_t"});
  if (metal_version != device::kMetalVersion)
    flags.push_back("-DASSAY_METAL_VERSION=" + std::to_string(metal_version));
  return flags;
}

LibraryParts parts_named_in(const TokenText& text, const device::KernelSource& source) {
  LibraryParts parts;
  parts.metal_version = device::metal_version_of(source);
  for (const Token& token : text.tokens) {
    parts.granted |= token.is("/") || token.is("/=");
    if (!token.is_word()) continue;
    parts.distributed_matrices |= token.is("thread_elements");
    parts.textures |= names_texture(token);
    parts.granted |= is_granted(token);
    parts.tensors |= names_tensor(token);
  }
  parts.descriptors_as_arguments = takes_descriptors(text);
  return parts;
}

}  // namespace assay::metal
