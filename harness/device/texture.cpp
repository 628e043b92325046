#include "harness/device/texture.hpp"

namespace assay::device {

std::size_t texel_bytes(TextureFormat format) {
  switch (format) {
    case TextureFormat::r8unorm:
    case TextureFormat::r8uint:
      return 1;
    case TextureFormat::rg8unorm:
    case TextureFormat::r16float:
    case TextureFormat::r16uint:
      return 2;
    case TextureFormat::rgba8unorm:
    case TextureFormat::rgba8uint:
    case TextureFormat::rg16float:
    case TextureFormat::r32float:
    case TextureFormat::r32uint:
    case TextureFormat::r32sint:
      return 4;
    case TextureFormat::rgba16float:
    case TextureFormat::rg32float:
    case TextureFormat::rg32uint:
    case TextureFormat::rg32sint:
      return 8;
    case TextureFormat::rgba32float:
    case TextureFormat::rgba32uint:
    case TextureFormat::rgba32sint:
      return 16;
  }
  return 0;
}

std::size_t texture_bytes(const TextureShape& shape) {
  return texel_bytes(shape.format) * shape.width * shape.height * shape.depth * shape.layers;
}

}  // namespace assay::device
