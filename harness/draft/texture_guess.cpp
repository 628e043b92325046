#include "harness/draft/texture_guess.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace assay::draft {
namespace {

using device::TextureFormat;
using Texture = metal::TextureParameter;

/// What texts call an extent, in small letters without "_", and what it is called where they have no word for
/// it.
struct ExtentNames {
  const char* own;
  std::array<std::string_view, 6> in_texts;
};
constexpr ExtentNames kWidth = {"W", {"w", "width", "cols", "columns", "imagewidth", "texturewidth"}},
                      kHeight = {"H", {"h", "height", "rows", "imageheight", "textureheight", "lines"}},
                      kDepth = {"D", {"d", "depth", "slices", "imagedepth", "texturedepth", "planes"}},
                      kLayers = {"L", {"l", "layers", "slices", "images", "arraysize", "batch"}};

std::string extent(const ExtentNames& names, const std::vector<std::string>& dimensions) {
  for (const std::string& dimension : dimensions) {
    std::string plain;
    for (const char c : dimension) {
      if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (std::find(names.in_texts.begin(), names.in_texts.end(), plain) != names.in_texts.end())
      return dimension;
  }
  return names.own;
}

/// Of what a kernel both reads and writes Metal takes formats of one channel on every device, and atomics
/// take no others. Everything else has four, so that no channel that a kernel looks at is a constant.
TextureFormat format_of(const Texture& texture, const std::string& written) {
  const bool single =
      texture.access == Texture::Access::read_write || written.find("depth") != std::string::npos;
  switch (texture.numbers) {
    case device::TextureNumbers::unsigned_:
      return single ? TextureFormat::r32uint : TextureFormat::rgba32uint;
    case device::TextureNumbers::signed_:
      return single ? TextureFormat::r32sint : TextureFormat::rgba32sint;
    default:
      if (written.find("half") != std::string::npos)
        return single ? TextureFormat::r16float : TextureFormat::rgba16float;
      return single ? TextureFormat::r32float : TextureFormat::rgba32float;
  }
}

}  // namespace

TextureGuess guess_texture(const Texture& texture, const KernelText& text,
                           const std::vector<std::string>& dimensions) {
  TextureGuess guess;
  guess.index = static_cast<std::size_t>(texture.index);
  const std::string name = texture.name.substr(0, texture.name.find('['));
  guess.tensor = name;
  if (name.size() < texture.name.size())
    guess.tensor += '_' + texture.name.substr(name.size() + 1, texture.name.size() - name.size() - 2);
  const Parameter* const parameter = text.find(name);
  guess.format = format_of(texture, parameter == nullptr ? "" : parameter->written);
  guess.reads = texture.access != Texture::Access::write;
  guess.writes = texture.access == Texture::Access::write || texture.access == Texture::Access::read_write;
  guess.kind = texture.kind;
  const auto with = [&](const std::vector<const ExtentNames*>& names) {
    for (const ExtentNames* one : names) guess.extents.push_back(extent(*one, dimensions));
  };
  switch (texture.kind) {
    case TextureKind::one_d:
    case TextureKind::buffer:
      with({&kWidth});
      break;
    case TextureKind::three_d:
      with({&kDepth, &kHeight, &kWidth});
      break;
    case TextureKind::two_d_array:
      with({&kLayers, &kHeight, &kWidth});
      break;
    case TextureKind::one_d_array:
      with({&kLayers, &kWidth});
      break;
    case TextureKind::cube:  // its faces are square
      with({&kWidth, &kWidth});
      guess.extents.insert(guess.extents.begin(), "6");
      break;
    case TextureKind::cube_array:
      with({&kLayers, &kWidth, &kWidth});
      guess.extents.front() = "6 * " + guess.extents.front();
      break;
    case TextureKind::two_d:
      with({&kHeight, &kWidth});
  }
  return guess;
}

std::string type_of_channels(TextureFormat format) {
  switch (device::layout_of(format).type) {
    case device::TexelType::uchar:
      return "uchar";
    case device::TexelType::ushort:
      return "ushort";
    case device::TexelType::uint:
      return "uint";
    case device::TexelType::int_:
      return "int";
    case device::TexelType::half:
      return "half";
    default:
      return "float";
  }
}

}  // namespace assay::draft
