#include "harness/metal/library_parts.hpp"

namespace assay::metal {
namespace {

bool names_texture(const Token& token) {
  return token.text.starts_with("texture") || token.text.starts_with("depth2d") ||
         token.text.starts_with("depthcube") || token.is("sampler");
}

}  // namespace

LibraryParts& LibraryParts::operator|=(const LibraryParts& other) {
  distributed_matrices |= other.distributed_matrices;
  textures |= other.textures;
  return *this;
}

std::vector<std::string> LibraryParts::flags() const {
  std::vector<std::string> flags;
  if (textures) flags.push_back("-DASSAY_TEXTURES=1");
  if (distributed_matrices) flags.push_back("-DASSAY_DISTRIBUTED_MATRICES=1");
  return flags;
}

LibraryParts parts_named_in(const TokenText& text) {
  LibraryParts parts;
  for (const Token& token : text.tokens) {
    if (!token.is_word()) continue;
    parts.distributed_matrices |= token.is("thread_elements");
    parts.textures |= names_texture(token);
  }
  return parts;
}

}  // namespace assay::metal
