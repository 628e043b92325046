#include "harness/simulator/texture_fit.hpp"

#include <fmt/format.h>

#include <string_view>

#include "harness/device/grouped.hpp"

namespace assay::simulator {
namespace {

using Extents = metal::TextureParameter::Extents;
using Numbers = metal::TextureParameter::Numbers;

struct Need {
  bool met;
  std::string_view words;
};

Need need_of(Extents extents, const device::TextureShape& texture) {
  const bool low = texture.height == 1, flat = texture.depth == 1, single = texture.layers == 1;
  const bool square = flat && texture.width == texture.height;
  switch (extents) {
    case Extents::one:
    case Extents::buffer:
      return {low && flat && single, "one row"};
    case Extents::one_layered:
      return {low && flat, "a height and a depth of 1"};
    case Extents::two:
      return {flat && single, "one layer and a depth of 1"};
    case Extents::two_layered:
      return {flat, "a depth of 1"};
    case Extents::three:
      return {single, "one layer"};
    case Extents::cube:
      return {square && texture.layers == 6, "six layers that are as high as wide"};
    case Extents::cube_layered:
      return {square && texture.layers % 6 == 0, "six layers for each cube, as high as wide"};
  }
  return {true, ""};
}

Numbers numbers_of(std::string_view format) {
  return format.ends_with("uint")   ? Numbers::unsigned_
         : format.ends_with("sint") ? Numbers::signed_
                                    : Numbers::floating;
}

std::string_view name_of(Numbers numbers) {
  return numbers == Numbers::floating    ? "floats"
         : numbers == Numbers::unsigned_ ? "unsigned integers"
                                         : "integers";
}

}  // namespace

std::string misfit(const metal::TextureParameter& parameter, const device::TextureShape& texture) {
  if (const Need need = need_of(parameter.extents, texture); !need.met)
    return fmt::format("needs {}; the texture has {} x {} x {} texels in {}", need.words, texture.width,
                       texture.height, texture.depth, device::counted(texture.layers, "layer"));
  const std::string_view format = device::layout_of(texture.format).name;
  if (parameter.numbers != numbers_of(format))
    return fmt::format("holds {}; those of {} are {}", name_of(parameter.numbers), format,
                       name_of(numbers_of(format)));
  return {};
}

}  // namespace assay::simulator
