// Textures and samplers as a manifest binds them to a kernel: `textures` and `samplers` of an entry.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/texture.hpp"
#include "assay/tensor.hpp"

namespace assay {

struct KernelEntry;

using device::TextureKind;

/// { tensor = "image", kind = "2d", format = "rgba16float" }: the elements of a tensor of the operation are
/// the channels of texels. The tensor has the texture's extents as its axes, the width last, and behind them
/// the channels, where there are several; or the channels lie one behind the other along the width.
struct TextureArgument {
  std::string tensor;
  TextureKind kind = TextureKind::two_d;
  device::TextureFormat format = device::TextureFormat::r32float;
};

/// What an element of a tensor is that holds channels of the format.
DType channel_type(device::TextureFormat format);

/// The extents of textures[`index`] where its tensor has this type and shape. Throws ManifestError at its
/// fields for a type that is not the format's, axes that are not the kind's, and extents that Metal does not
/// have.
device::TextureShape texture_shape(const KernelEntry& entry, std::size_t index, DType type,
                                   const std::vector<std::size_t>& shape);

/// Holds the textures of an entry against what its manifest states of the tensors, and adds as requirements
/// how far dimensions that are extents may grow. Does nothing where the manifest states no operation. Throws
/// ManifestError.
void settle_textures(KernelEntry& entry);

}  // namespace assay
