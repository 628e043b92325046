// What a parameter at [[texture(i)]] is taken for: the text says of which kind it is and what its numbers
// are, not how a host lays them out.
#pragma once

#include <string>
#include <vector>

#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/verify/texture_argument.hpp"

namespace assay::draft {

struct TextureGuess {
  std::size_t index = 0;
  std::string tensor;  ///< the parameter's name; of the third in an array of textures `all`, "all_2"
  TextureKind kind = TextureKind::two_d;
  device::TextureFormat format = device::TextureFormat::r32float;
  std::vector<std::string> extents;  ///< in texels, outermost first: dimensions or numbers
  bool reads = true, writes = false;
};

/// `dimensions`: those of the kernel's scalars. One that is called as an extent is, "width" or "rows", is
/// that extent.
TextureGuess guess_texture(const metal::TextureParameter& texture, const KernelText& text,
                           const std::vector<std::string>& dimensions);

/// The type of a tensor whose elements are channels of texels, as manifests name it.
std::string type_of_channels(device::TextureFormat format);

}  // namespace assay::draft
