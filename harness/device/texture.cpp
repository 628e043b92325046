#include "assay/device/texture.hpp"

#include <algorithm>
#include <array>

namespace assay::device {
namespace {

// By the numbers of TextureFormat.
constexpr std::array<TexelLayout, 18> kLayouts = {{
    {"r8unorm", TexelType::uchar, 1, 1},
    {"rg8unorm", TexelType::uchar, 2, 1},
    {"rgba8unorm", TexelType::uchar, 4, 1},
    {"r8uint", TexelType::uchar, 1, 1},
    {"rgba8uint", TexelType::uchar, 4, 1},
    {"r16float", TexelType::half, 1, 2},
    {"rg16float", TexelType::half, 2, 2},
    {"rgba16float", TexelType::half, 4, 2},
    {"r16uint", TexelType::ushort, 1, 2},
    {"r32float", TexelType::float_, 1, 4},
    {"rg32float", TexelType::float_, 2, 4},
    {"rgba32float", TexelType::float_, 4, 4},
    {"r32uint", TexelType::uint, 1, 4},
    {"rg32uint", TexelType::uint, 2, 4},
    {"rgba32uint", TexelType::uint, 4, 4},
    {"r32sint", TexelType::int_, 1, 4},
    {"rg32sint", TexelType::int_, 2, 4},
    {"rgba32sint", TexelType::int_, 4, 4},
}};

}  // namespace

TexelLayout layout_of(TextureFormat format) { return kLayouts.at(static_cast<std::size_t>(format)); }

TextureNumbers numbers_of(TextureFormat format) {
  switch (layout_of(format).type) {
    case TexelType::uchar:
      return layout_of(format).name.ends_with("unorm") ? TextureNumbers::floating : TextureNumbers::unsigned_;
    case TexelType::ushort:
    case TexelType::uint:
      return TextureNumbers::unsigned_;
    case TexelType::int_:
      return TextureNumbers::signed_;
    case TexelType::half:
    case TexelType::float_:
      break;
  }
  return TextureNumbers::floating;
}

std::optional<TextureFormat> texture_format(std::string_view name) {
  const auto found = std::find_if(kLayouts.begin(), kLayouts.end(),
                                  [&](const TexelLayout& one) { return one.name == name; });
  if (found == kLayouts.end()) return std::nullopt;
  return static_cast<TextureFormat>(found - kLayouts.begin());
}

std::size_t texel_bytes(TextureFormat format) {
  const TexelLayout layout = layout_of(format);
  return layout.channels * layout.channel_bytes;
}

std::size_t texture_bytes(const TextureShape& shape) {
  return texel_bytes(shape.format) * shape.width * shape.height * shape.depth * shape.layers;
}

}  // namespace assay::device
