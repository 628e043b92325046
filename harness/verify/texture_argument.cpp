#include "harness/verify/texture_argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/verify/manifest.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

using Shape = device::TextureShape;

/// An axis of a texture: what it is called, the most that Metal's GPUs have of it (Apple's Metal Feature Set
/// Tables, families Apple3 and later), and where it is kept.
struct Extent {
  std::string_view name;
  std::int64_t most;
  std::uint32_t Shape::*kept;
};
constexpr std::int64_t kFlat = 16384, kDeep = 2048, kBuffer = std::int64_t{1} << 28, kFaces = 6;

/// From the outermost on, as the axes of a tensor.
std::vector<Extent> extents_of(TextureKind kind) {
  constexpr Extent kWidth = {"width", kFlat, &Shape::width}, kHeight = {"height", kFlat, &Shape::height},
                   kLayers = {"layers", kDeep, &Shape::layers};
  switch (kind) {
    case TextureKind::one_d:
      return {kWidth};
    case TextureKind::two_d:
      return {kHeight, kWidth};
    case TextureKind::two_d_array:
      return {kLayers, kHeight, kWidth};
    case TextureKind::three_d:
      return {{"depth", kDeep, &Shape::depth},
              {"height", kDeep, &Shape::height},
              {"width", kDeep, &Shape::width}};
    case TextureKind::buffer:
      return {{"width", kBuffer, &Shape::width}};
    case TextureKind::one_d_array:
      return {kLayers, kWidth};
    case TextureKind::cube:
    case TextureKind::cube_array:
      return {{"faces", kDeep, &Shape::layers}, kHeight, kWidth};
  }
  return {};
}

std::string field_of(std::size_t index, std::string_view key) {
  return fmt::format("textures[{}].{}", index, key);
}

void check_type(const KernelEntry& entry, std::size_t index, DType type) {
  const TextureArgument& texture = *entry.textures.at(index);
  if (channel_type(texture.format) == type) return;
  std::vector<std::string> fitting;
  for (int i = 0; i <= static_cast<int>(device::TextureFormat::rgba32sint); ++i) {
    const auto format = static_cast<device::TextureFormat>(i);
    if (channel_type(format) == type) fitting.emplace_back(device::layout_of(format).name);
  }
  throw entry.error(field_of(index, "format"),
                    fmt::format("{} has channels of {}, and {} has elements of {}; {}",
                                device::layout_of(texture.format).name, name_of(channel_type(texture.format)),
                                texture.tensor, name_of(type),
                                fitting.empty() ? std::string("no texture holds those")
                                                : fmt::format("write {}", fmt::join(fitting, ", "))));
}

/// Whether the channels are an axis of their own, behind the extents.
bool has_channel_axis(const KernelEntry& entry, std::size_t index, std::size_t axes) {
  const TextureArgument& texture = *entry.textures.at(index);
  const auto extents = extents_of(texture.kind);
  if (axes == extents.size() || axes == extents.size() + 1) return axes != extents.size();
  std::string names;
  for (const Extent& one : extents) names += (names.empty() ? "" : ", ") + std::string(one.name);
  throw entry.error(
      field_of(index, "kind"),
      fmt::format("{} has {} axes; a texture of kind {} has {}: [{}], and its channels behind them",
                  texture.tensor, axes, name_of(texture.kind), extents.size(), names));
}

void check_channels(const KernelEntry& entry, std::size_t index, std::size_t channels) {
  const TextureArgument& texture = *entry.textures.at(index);
  const auto layout = device::layout_of(texture.format);
  if (channels == layout.channels) return;
  throw entry.error(field_of(index, "format"),
                    fmt::format("{} has {} channels, and the last axis of {} is {}", layout.name,
                                layout.channels, texture.tensor, channels));
}

/// The dimension must not grow beyond what a texture has.
void limit(KernelEntry& entry, std::size_t index, const std::string& dimension, std::int64_t most) {
  Requirement& asked = entry.requirements[dimension];
  asked.max = std::min(asked.max.value_or(most), most);
  if (asked.min && *asked.min > *asked.max)
    throw entry.error(field_of(index, "tensor"),
                      fmt::format("is a texture of at most {} by {}, and the kernel requires {} or more",
                                  most, dimension, *asked.min));
}

void settle(KernelEntry& entry, std::size_t index) {
  const TextureArgument& texture = *entry.textures[index];
  const auto& tensors = entry.stated->tensors;
  const auto tensor = std::find_if(tensors.begin(), tensors.end(),
                                   [&](const StatedTensor& one) { return one.name == texture.tensor; });
  if (tensor == tensors.end()) {
    std::vector<std::string> names;
    names.reserve(tensors.size());
    for (const StatedTensor& one : tensors) names.push_back(one.name);
    throw entry.error(field_of(index, "tensor"), fmt::format("`{}` is no tensor; there are {}",
                                                             shown(texture.tensor), fmt::join(names, ", ")));
  }
  check_type(entry, index, tensor->dtype);
  const bool own_axis = has_channel_axis(entry, index, tensor->shape.size());
  const auto channels = static_cast<std::int64_t>(device::layout_of(texture.format).channels);
  if (own_axis && tensor->shape.back().names().empty())
    check_channels(entry, index, static_cast<std::size_t>(tensor->shape.back().evaluate_integer({})));
  const auto extents = extents_of(texture.kind);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const bool packed = !own_axis && axis + 1 == extents.size();
    const Expression& size = tensor->shape[axis];
    if (size.is_name()) limit(entry, index, size.text(), extents[axis].most * (packed ? channels : 1));
  }
}

}  // namespace

DType channel_type(device::TextureFormat format) {
  switch (device::layout_of(format).type) {
    case device::TexelType::uchar:
      return DType::u8;
    case device::TexelType::ushort:
      return DType::u16;
    case device::TexelType::uint:
      return DType::u32;
    case device::TexelType::int_:
      return DType::i32;
    case device::TexelType::half:
      return DType::f16;
    case device::TexelType::float_:
      break;
  }
  return DType::f32;
}

device::TextureShape texture_shape(const KernelEntry& entry, std::size_t index, DType type,
                                   const std::vector<std::size_t>& shape) {
  const TextureArgument& texture = *entry.textures.at(index);
  check_type(entry, index, type);
  const bool own_axis = has_channel_axis(entry, index, shape.size());
  const std::size_t channels = device::layout_of(texture.format).channels;
  if (own_axis) check_channels(entry, index, shape.back());
  const auto extents = extents_of(texture.kind);
  Shape made{.format = texture.format};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    std::size_t size = shape[axis];
    if (!own_axis && axis + 1 == extents.size()) {
      if (size % channels != 0)
        throw entry.error(
            field_of(index, "format"),
            fmt::format("{} has rows of {} elements, and a texel of {} has {}; make the axis a "
                        "multiple of that",
                        texture.tensor, size, device::layout_of(texture.format).name, channels));
      size /= channels;
    }
    if (size > static_cast<std::size_t>(extents[axis].most))
      throw entry.error(field_of(index, "tensor"),
                        fmt::format("its {} is {} there; Metal's textures have at most {}: bound the "
                                    "dimension with requires",
                                    extents[axis].name, size, extents[axis].most));
    made.*extents[axis].kept = static_cast<std::uint32_t>(size);
  }
  const bool cube = texture.kind == TextureKind::cube, cubes = texture.kind == TextureKind::cube_array;
  const bool sixes = cube ? made.layers == kFaces : made.layers % kFaces == 0;
  if ((cube || cubes) && (!sixes || made.width != made.height))
    throw entry.error(field_of(index, "tensor"),
                      fmt::format("it is {} faces of {} x {} there; {} has six, as high as wide", made.layers,
                                  made.height, made.width, cube ? "a cube" : "each cube"));
  return made;
}

void settle_textures(KernelEntry& entry) {
  if (!entry.stated) return;
  for (std::size_t i = 0; i < entry.textures.size(); ++i) {
    if (entry.textures[i]) settle(entry, i);
  }
}

}  // namespace assay
