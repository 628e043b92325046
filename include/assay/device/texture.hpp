// Textures and samplers as a launch binds them.
//
// A texture is part of a buffer and a description: texels lie row by row, slice by slice, with nothing
// between them. So a buffer that a kernel fills can be a texture of the next, and what guards and watches
// buffers does so here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::device {

/// Which of Metal's textures one is. Depths and several samples are those of two dimensions and cubes, bound
/// as textures of floats. Numbered as the kinds in harness/metal/stdlib/metal/texture.h are.
enum class TextureKind { one_d = 1, two_d, two_d_array, three_d, buffer, cube, cube_array, one_d_array };

/// Their names in manifests, the first that of kind 1.
inline constexpr std::array<std::string_view, 8> kTextureKinds = {
    "1d", "2d", "2d_array", "3d", "texture_buffer", "cube", "cube_array", "1d_array"};

inline std::string_view name_of(TextureKind kind) {
  return kTextureKinds.at(static_cast<std::size_t>(kind) - 1);
}

/// What kernels get of its texels.
enum class TextureNumbers { floating, unsigned_, signed_ };

/// What a texel is: channels, their width and their kind. `unorm`: 0 to 1 in as many steps as there are bits.
enum class TextureFormat : std::uint32_t {
  r8unorm,
  rg8unorm,
  rgba8unorm,
  r8uint,
  rgba8uint,
  r16float,
  rg16float,
  rgba16float,
  r16uint,
  r32float,
  rg32float,
  rgba32float,
  r32uint,
  rg32uint,
  rgba32uint,
  r32sint,
  rg32sint,
  rgba32sint,
};

/// What one channel of a texel is in memory.
enum class TexelType { uchar, ushort, uint, int_, half, float_ };

/// What a format is made of.
struct TexelLayout {
  std::string_view name;  ///< "rgba16float"
  TexelType type{};
  std::size_t channels = 1, channel_bytes = 1;
};
TexelLayout layout_of(TextureFormat format);

TextureNumbers numbers_of(TextureFormat format);

/// The format of that name; nothing where there is none.
std::optional<TextureFormat> texture_format(std::string_view name);

/// Bytes of one texel.
std::size_t texel_bytes(TextureFormat format);

/// Extents in texels; those that a texture does not have are 1. One level; no samples.
struct TextureShape {
  TextureFormat format = TextureFormat::r32float;
  std::uint32_t width = 1, height = 1, depth = 1;
  std::uint32_t layers = 1;  ///< of an array of textures
};

/// Bytes of all its texels.
std::size_t texture_bytes(const TextureShape& shape);

/// What a sampler gives for a place outside of a texture.
enum class TextureWrap : std::uint32_t {
  clamp_to_edge,
  clamp_to_zero,
  clamp_to_border,
  repeat,
  mirrored_repeat
};

/// One that the host makes, for [[sampler(i)]]. Kernels that declare theirs need none. The border is zero.
struct Sampler {
  bool linear = false;  ///< texels are mixed, rather than the nearest taken
  bool pixels = false;  ///< coordinates count texels, rather than from 0 to 1
  std::array<TextureWrap, 3> wrap = {};
};

}  // namespace assay::device
