#include "harness/metal/library_parts.hpp"

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

// `template <matmul2d_descriptor what, ...>`
bool is_descriptor_argument(const std::vector<Token>& tokens, std::size_t i) {
  if (!tokens[i].is("matmul2d_descriptor")) return false;
  auto before = previous_significant(tokens, i);
  while (before < tokens.size() && (tokens[before].is("::") || tokens[before].is_any({"mpp", "tensor_ops"})))
    before = previous_significant(tokens, before);
  const auto name = next_significant(tokens, i);
  const auto behind = name < tokens.size() ? next_significant(tokens, name) : tokens.size();
  return before < tokens.size() && tokens[before].is_any({"<", ","}) && behind < tokens.size() &&
         tokens[name].is_word() && tokens[behind].is_any({",", ">", "="});
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

LibraryParts parts_named_in(const TokenText& text) {
  LibraryParts parts;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const Token& token = text.tokens[i];
    parts.granted |= token.is("/") || token.is("/=");
    if (!token.is_word()) continue;
    parts.distributed_matrices |= token.is("thread_elements");
    parts.textures |= names_texture(token);
    parts.granted |= is_granted(token);
    parts.tensors |= names_tensor(token);
    parts.descriptors_as_arguments |= is_descriptor_argument(text.tokens, i);
  }
  return parts;
}

}  // namespace assay::metal
