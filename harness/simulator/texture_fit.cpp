#include "harness/simulator/texture_fit.hpp"

#include <fmt/format.h>

#include <string_view>

#include "harness/device/grouped.hpp"

namespace assay::simulator {
namespace {

using Kind = device::TextureKind;
using Numbers = device::TextureNumbers;

struct Need {
  bool met;
  std::string_view words;
};

Need need_of(Kind kind, const device::TextureShape& texture) {
  const bool low = texture.height == 1, flat = texture.depth == 1, single = texture.layers == 1;
  const bool square = flat && texture.width == texture.height;
  switch (kind) {
    case Kind::one_d:
    case Kind::buffer:
      return {low && flat && single, "one row"};
    case Kind::one_d_array:
      return {low && flat, "a height and a depth of 1"};
    case Kind::two_d:
      return {flat && single, "one layer and a depth of 1"};
    case Kind::two_d_array:
      return {flat, "a depth of 1"};
    case Kind::three_d:
      return {single, "one layer"};
    case Kind::cube:
      return {square && texture.layers == 6, "six layers that are as high as wide"};
    case Kind::cube_array:
      return {square && texture.layers % 6 == 0, "six layers for each cube, as high as wide"};
  }
  return {true, ""};
}

std::string_view name_of(Numbers numbers) {
  return numbers == Numbers::floating    ? "floats"
         : numbers == Numbers::unsigned_ ? "unsigned integers"
                                         : "integers";
}

}  // namespace

std::string misfit(const metal::TextureParameter& parameter, const device::TextureShape& texture) {
  if (const Need need = need_of(parameter.kind, texture); !need.met)
    return fmt::format("needs {}; the texture has {} x {} x {} texels in {}", need.words, texture.width,
                       texture.height, texture.depth, device::counted(texture.layers, "layer"));
  if (const Numbers numbers = device::numbers_of(texture.format); numbers != parameter.numbers)
    return fmt::format("holds {}; those of {} are {}", name_of(parameter.numbers),
                       device::layout_of(texture.format).name, name_of(numbers));
  return {};
}

}  // namespace assay::simulator
