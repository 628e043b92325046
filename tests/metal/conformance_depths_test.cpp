// Conformance: textures of depths in planes, layers and samples. Cubes of depths: conformance_cubes_test.cpp.
#include <gmock/gmock.h>

#include "tests/metal/texture_run.hpp"

namespace assay::metal {
namespace {

class ConformanceOfDepths : public TexturesTest {};
ASSAY_BOTH_MODES(ConformanceOfDepths);

TEST_P(ConformanceOfDepths, ReadSampledAndCompared) {
  TextureRun sound = kernel("textures", "sound");
  sound.texture({TextureFormat::r32float, 4}, std::vector<float>{1, 3, 4, 2});
  sound.texture({TextureFormat::r32float, 4}, std::vector<float>{10, 20, 30, 40});
  sound.buffer(std::vector<float>(12));
  run_clean(sound, {4, 1, 1});
  // Half way between two texels, of which none, one or both are deeper than 2.5; the last stands alone.
  EXPECT_EQ(sound.values<float>(0),
            (std::vector<float>{0.5f, 1, 0.5f, 0, 11, 23, 34, 42, 4 + 3, 4 + 4, 4 + 2, 4 + 2}));
}

// Two by two texels in three layers, and as many in four samples. Of a layer that is not there the last is
// sampled, and zero read.
TEST_P(ConformanceOfDepths, InLayersAndSamples) {
  std::vector<float> depths, exposures;
  for (int layer = 0; layer < 3; ++layer)
    for (int at = 0; at < 4; ++at) depths.push_back(float(10 * layer + at));
  for (int texel = 0; texel < 4; ++texel)
    for (int at = 0; at < 4; ++at) exposures.push_back(float(100 * texel + at));
  TextureRun survey = kernel("textures", "survey");
  survey.texture({TextureFormat::r32float, 2, 2, 1, 3}, depths);
  survey.texture({TextureFormat::r32float, 2, 2, 1, 4}, exposures);
  constexpr std::size_t kThreads = 5, kEach = 16;
  survey.buffer(std::vector<float>(kThreads * kEach));
  run_clean(survey, {kThreads, 1, 1});
  const auto out = survey.values<float>(0);
  for (std::size_t i = 0; i < kThreads; ++i) {
    const auto layer = float(10 * std::min<std::size_t>(i, 2));
    const auto shallower = [&](float texel) { return layer + texel < 11 ? 1.0f : 0.0f; };
    // The lower left first, against the clock.
    const std::vector<float> expected = {
        i < 3 ? layer + 1 : 0,
        layer + 1.5f,
        layer + 3,
        layer + 2,
        layer + 3,
        layer + 1,
        layer,
        layer + 2,
        layer + 3,
        (shallower(0) + shallower(1) + shallower(2) + shallower(3)) / 4,
        shallower(2),
        shallower(3),
        shallower(1),
        shallower(0),
        i < 4 ? float(100 * i + 3) : 0,
        4 + 2 + 2,
    };
    EXPECT_EQ(std::vector<float>(out.begin() + long(i * kEach), out.begin() + long((i + 1) * kEach)),
              expected)
        << "layer " << i;
  }
}

}  // namespace
}  // namespace assay::metal
