// Textures and samplers, and the dimensions of their extents.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace assay::draft {
namespace {

/// What samplers are taken for.
constexpr device::Sampler kSampler = {.linear = true, .pixels = false, .wrap = {}};
/// Layers, and slices of a volume: each is a plane of its own.
constexpr std::int64_t kLargestOfLayers = 32;
/// A face is as high as wide, and there are six of each cube.
constexpr std::int64_t kLargestOfFaces = 96, kLargestOfCubes = 4;

}  // namespace

void Drafting::textures() {
  std::vector<std::string> dimensions;
  for (const auto& one : draft_.dimensions) dimensions.push_back(one.name);
  for (const auto& texture : compiled_.textures) {
    TextureGuess guessed = guess_texture(texture, draft_.kernel, dimensions);
    if (known_names_.contains(guessed.tensor)) guessed.tensor += "_texture";
    known_names_.insert(guessed.tensor);
    tell_texture_of(guessed);
    if (guessed.index >= request_.textures.size()) request_.textures.resize(guessed.index + 1);
    MeasuredTexture& measured = request_.textures[guessed.index];
    measured = {true, guessed.writes, guessed.kind, guessed.format, {}};
    for (const auto& extent : guessed.extents) measured.extents.emplace_back(extent);
    draft_.textures.push_back(std::move(guessed));
  }
  for (const auto& one : draft_.textures) {
    const bool cubes = one.kind == TextureKind::cube || one.kind == TextureKind::cube_array;
    for (std::size_t axis = 0; axis < one.extents.size(); ++axis) {
      const bool of_plane = axis + 2 >= one.extents.size();
      const std::int64_t largest = of_plane ? (cubes ? kLargestOfFaces : 0)
                                   : cubes  ? kLargestOfCubes
                                            : kLargestOfLayers;
      for (const auto& name : names_in(one.extents[axis])) {
        add_dimension(name);
        auto& dimension = *find_dimension(name);  // of a scalar too
        if (dimension.largest == 0) dimension.largest = largest;
      }
    }
  }
  // A thread for each texel of a volume takes long, a hundred times over.
  small_ = std::any_of(draft_.textures.begin(), draft_.textures.end(),
                       [](const TextureGuess& one) { return one.extents.size() > 2; });
  draft_.samplers = compiled_.samplers;
  request_.samplers.assign(draft_.samplers, kSampler);
  if (draft_.samplers > 0)
    guess(
        "samplers are linear, with normalized coordinates, and clamp to the edge; write a manifest for "
        "others");
}

void Drafting::tell_texture_of(TextureGuess& guessed) {
  const ToldBuffer told = told_of(told_.textures, guessed.tensor);
  if (told.type) guessed.format = *device::texture_format(*told.type);
  if (told.shape) {
    if (told.shape->size() != guessed.extents.size())
      throw std::invalid_argument(
          fmt::format("--texture {0}: {0} has {1} extents in texels, such as [{2}], not {3}", guessed.tensor,
                      guessed.extents.size(), fmt::join(guessed.extents, ","), told.shape->size()));
    guessed.extents = *told.shape;
  }
  if (!told.type || !told.shape)
    guess(fmt::format("{0} is {1} [{2}]; change it with --texture {0}=FORMAT[EXTENTS]", guessed.tensor,
                      device::layout_of(guessed.format).name, fmt::join(guessed.extents, ", ")));
}

}  // namespace assay::draft
