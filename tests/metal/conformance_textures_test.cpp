// Conformance: textures and samplers of one to three dimensions, bound as launches bind them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/metal/texture_run.hpp"

namespace assay::metal {
namespace {

class ConformanceOfTextures : public TexturesTest {};
ASSAY_BOTH_MODES(ConformanceOfTextures);

TEST_P(ConformanceOfTextures, ReadAndWrittenInEveryFormat) {
  // Four texels of one row each; what is read of them, doubled and stored as half.
  const std::vector<std::uint8_t> bytes = {0, 51, 102, 255, 255, 0, 204, 153, 1, 2, 3, 4, 128, 64, 32, 16};
  TextureRun print = kernel("textures", "print");
  print.texture({TextureFormat::rgba8unorm, 2, 2}, bytes).texture({TextureFormat::rgba16float, 2, 2});
  print.buffer(std::vector<std::uint32_t>(4));
  run_clean(print, {2, 2, 1});
  const auto printed = print.textures[1].texels<Half>();
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_EQ(float(printed[k]), float(static_cast<Half>(float(bytes[k]) * (1.0f / 255) * 2))) << k;
  EXPECT_EQ(print.values<std::uint32_t>(0), (std::vector<std::uint32_t>{2, 2, 1, 0}));

  // One channel is followed by 0, 0, 1; numbers outside of 0 to 1 are cut by formats that lack them.
  print.textures.clear();
  print.texture({TextureFormat::r32float, 2}, std::vector<float>{0.25f, 3});
  print.texture({TextureFormat::rgba8unorm, 2});
  run_clean(print, {2, 1, 1});
  EXPECT_EQ(print.textures[1].texels<std::uint8_t>(),
            (std::vector<std::uint8_t>{128, 0, 0, 255, 255, 0, 0, 255}));
  EXPECT_EQ(device::texel_bytes(TextureFormat::rg16float), 4u);
}

// Levels that a texture lacks read as zero and are not written; their extents are halved.
TEST_P(ConformanceOfTextures, OfOneLevel) {
  TextureRun levels = kernel("textures", "levels");
  levels.texture({TextureFormat::r32float, 8, 3}, std::vector<float>(24, 5));
  levels.texture({TextureFormat::r32float, 2}, std::vector<float>{6, 7});
  levels.buffer(std::vector<float>(6));
  run_clean(levels, {1, 1, 1});
  EXPECT_EQ(levels.values<float>(0), (std::vector<float>{5, 0, 5, 2, 1, 1}));
  EXPECT_EQ(levels.textures[1].texels<float>(), (std::vector<float>{1, 7}));
}

TEST_P(ConformanceOfTextures, SampledByEveryAddressAndFilter) {
  // 4 x 2 texels: 0 1 2 3 above 10 11 12 13.
  TextureRun look = kernel("textures", "look");
  look.texture({TextureFormat::r32float, 4, 2}, std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13});
  const std::vector<float> places = {1.5f,  0.5f, -0.5f, 0.5f, 4.5f, 1.5f,  2.0f, 1.0f,
                                     0.25f, 0.5f, 5.5f,  0.5f, 3.5f, -3.0f, 1.5f, 1.75f};
  look.buffer(places).buffer(std::vector<float>(64));
  device::Sampler made;
  made.linear = true;
  made.wrap.fill(device::TextureWrap::clamp_to_edge);
  look.samplers = {made};
  run_clean(look, {8, 1, 1});
  const auto found = look.values<float>(1);
  const auto texel = [](int x, int y) { return x < 0 || x > 3 || y < 0 || y > 1 ? 0.f : float(x + 10 * y); };
  const auto edge = [](int i, int n) { return std::clamp(i, 0, n - 1); };
  const auto repeat = [](int i, int n) { return (i % n + n) % n; };
  const auto mirror = [](int i, int n) {
    const int m = (i % (2 * n) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
  };
  for (std::size_t i = 0; i < 8; ++i) {
    const float x = places[2 * i], y = places[2 * i + 1];
    const int nx = int(std::floor(x)), ny = int(std::floor(y));
    const float lx = std::floor(x - 0.5f), ly = std::floor(y - 0.5f), fx = x - 0.5f - lx, fy = y - 0.5f - ly;
    const int ix = int(lx), iy = int(ly);
    const auto mixed = [&](auto wrap) {
      const auto at = [&](int dx, int dy) { return texel(wrap(ix + dx, 4), wrap(iy + dy, 2)); };
      return (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy;
    };
    EXPECT_EQ(found[4 * i], texel(edge(nx, 4), edge(ny, 2))) << i;
    EXPECT_EQ(found[4 * i + 1], texel(nx, ny)) << i;
    EXPECT_EQ(found[4 * i + 2], texel(mirror(nx, 4), edge(ny, 2))) << i;
    EXPECT_NEAR(found[4 * i + 3], mixed(repeat), 1e-5) << i;
    EXPECT_NEAR(found[32 + 4 * i], mixed(edge), 1e-5) << i;
    EXPECT_EQ(found[32 + 4 * i + 1], texel(edge(nx + 1, 4), edge(ny, 2))) << i;
    EXPECT_EQ(found[32 + 4 * i + 2], texel(edge(ix, 4), edge(iy + 1, 2))) << i;
    EXPECT_EQ(found[32 + 4 * i + 3], texel(edge(ix + 1, 4), edge(iy, 2))) << i;
  }
}

// A format without alpha is opaque where its samplers clamp to zero.
TEST_P(ConformanceOfTextures, SeenBeyondTheirBorders) {
  TextureRun frame = kernel("textures", "frame");
  frame.texture({TextureFormat::rgba32float, 2, 1}, std::vector<float>{3, 4, 5, 6, 7, 8, 9, 10});
  frame.buffer(std::vector<float>(28));
  run_clean(frame, {1, 1, 1});
  const std::vector<float> common = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  std::vector<float> colours = {0, 0, 0, 0};
  colours.insert(colours.end(), common.begin(), common.end());
  colours.insert(colours.end(), {2, 2.5f, 3, 3.5f, 5, 6, 7, 8, 1, 1, 1, 1});
  EXPECT_EQ(frame.values<float>(0), colours);
  frame.textures.clear();
  frame.texture({TextureFormat::rg32float, 2, 1}, std::vector<float>{3, 4, 7, 8});
  run_clean(frame, {1, 1, 1});
  colours = {0, 0, 0, 1};
  colours.insert(colours.end(), common.begin(), common.end());
  colours.insert(colours.end(), {2, 2.5f, 0.5f, 1, 5, 6, 0, 1, 1, 1, 1, 1});
  EXPECT_EQ(frame.values<float>(0), colours);
}

TEST_P(ConformanceOfTextures, AndSamplersWithoutIndicesAndInArrays) {
  TextureRun loupe = kernel("textures", "loupe");
  loupe.texture({TextureFormat::r32float, 1}, std::vector<float>{9});
  loupe.texture({TextureFormat::r32float, 2}, std::vector<float>{1, 5});
  loupe.buffer(std::vector<float>(4));
  device::Sampler linear, nearest;
  linear.linear = linear.pixels = nearest.pixels = true;
  linear.wrap.fill(device::TextureWrap::repeat);
  loupe.samplers = {nearest, linear, nearest};
  run_clean(loupe, {1, 1, 1});
  EXPECT_EQ(loupe.values<float>(0), (std::vector<float>{1, 5 * 0.75f + 1 * 0.25f, 5, 9}));
  loupe.samplers.pop_back();
  EXPECT_EQ(loupe.refusal(GetParam().mode),
            "parameter `glasses[1]` at [[sampler(2)]] has nothing bound to it");
}

TEST_P(ConformanceOfTextures, OfThreeDimensionsOfOneAndOfSeveralLayers) {
  TextureRun stack = kernel("textures", "stack");
  stack.texture({TextureFormat::r16float, 1, 1, 4}, std::vector<Half>{1, 2, 4, 8});
  stack.texture({TextureFormat::rg32uint, 2, 1, 1, 2}, std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8});
  stack.texture({TextureFormat::r32sint, 4}, std::vector<std::int32_t>{1, -2, 3, -4});
  stack.buffer(std::vector<float>(8));
  run_clean(stack, {4, 1, 1});
  EXPECT_EQ(stack.values<float>(0), (std::vector<float>{1, 2, 4, 8, 4, 8, 4, 8}));
  EXPECT_EQ(stack.textures[2].texels<std::int32_t>(), (std::vector<std::int32_t>{-4, -7, -2, -9}));
}

TEST_P(ConformanceOfTextures, OfLayersSamplesAndManyInOneParameter) {
  TextureRun sheaf = kernel("textures", "sheaf");
  sheaf.texture({TextureFormat::r32float, 2, 1, 1, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  sheaf.texture({TextureFormat::r32float, 2, 1, 1, 4}, std::vector<float>{1, 2, 3, 4, 2, 3, 5, 6});
  sheaf.texture({TextureFormat::r32float, 2, 1, 1, 3}, std::vector<float>{1, 2, 10, 20, 100, 200});
  for (const float value : {1000.f, 2000.f, 3000.f, 50000.f})
    sheaf.texture({TextureFormat::r32float}, std::vector<float>{value});
  sheaf.buffer(std::vector<float>(16));
  run_clean(sheaf, {4, 1, 1});
  EXPECT_EQ(sheaf.values<float>(0),
            (std::vector<float>{401.5f, 403.5f, 405.5f, 407.5f, 1, 3 + 1, 2 + 0.5f, 5 + 1, 111, 222, 111, 222,
                                57111, 58222, 59111, 57222}));
  sheaf.textures.erase(sheaf.textures.begin() + 5, sheaf.textures.end());
  EXPECT_EQ(sheaf.refusal(GetParam().mode),
            "parameter `plates[2]` at [[texture(5)]] has nothing bound to it");
}

// Texels are watched as buffers are.
TEST_P(ConformanceOfTextures, ThatTwoThreadsWriteTo) {
  TextureRun collide = kernel("textures", "collide");
  collide.texture({TextureFormat::r32float, 2});
  const auto report = collide.run(GetParam().mode, {64, 1, 1});
  if (GetParam().mode != simulator::Mode::checked) {
    EXPECT_TRUE(report.faults.empty()) << "fast mode watches no accesses";
    return;
  }
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults[0].kind, device::FaultKind::race);
  EXPECT_THAT(report.faults[0].message, testing::HasSubstr("`card`"));
  EXPECT_EQ(report.faults[0].place.line, 47u);
}

TEST_P(ConformanceOfTextures, ThatAreMissing) {
  TextureRun print = kernel("textures", "print");
  print.buffer(std::vector<std::uint32_t>(4));
  EXPECT_EQ(print.refusal(GetParam().mode), "parameter `card` at [[texture(0)]] has nothing bound to it");
  print.textures.push_back({{TextureFormat::r32float, 2}, std::vector<std::byte>(12)});
  EXPECT_EQ(print.refusal(GetParam().mode), "texture 0 has 12 bytes, but its shape needs 8");
}

// What a parameter says of its texture's extents and numbers holds of what is bound to it.
TEST_P(ConformanceOfTextures, ThatAreOfAnotherKind) {
  constexpr TextureFormat kFloat = TextureFormat::r32float;
  const std::vector<device::TextureShape> right = {
      {kFloat, 8}, {kFloat, 8, 1, 1, 3}, {kFloat, 8, 2},        {kFloat, 8, 2, 1, 3},
      {kFloat, 8}, {kFloat, 2, 2, 1, 6}, {kFloat, 2, 2, 1, 12}, {TextureFormat::r32uint, 8, 2, 3}};
  const auto said = [&](std::size_t place, device::TextureShape shape) {
    TextureRun shelf = kernel("textures", "shelf");
    for (std::size_t i = 0; i < right.size(); ++i) shelf.texture(i == place ? shape : right[i]);
    shelf.buffer(std::vector<float>(1));
    return shelf.refusal(GetParam().mode);
  };
  EXPECT_EQ(said(right.size(), {}), "") << "all are right";
  struct Wrong {
    std::size_t place;
    device::TextureShape shape;
    const char* says;
  };
  const std::vector<Wrong> wrong = {
      {0, {kFloat, 8, 2}, "needs one row; the texture has 8 x 2 x 1 texels in 1 layer"},
      {0, {kFloat, 8, 1, 1, 2}, "needs one row; the texture has 8 x 1 x 1 texels in 2 layers"},
      {1, {kFloat, 8, 2, 1, 3}, "needs a height and a depth of 1; "},
      {2, {kFloat, 8, 2, 1, 2}, "needs one layer and a depth of 1; "},
      {2, {kFloat, 8, 2, 2}, "needs one layer and a depth of 1; "},
      {3, {kFloat, 8, 2, 2, 3}, "needs a depth of 1; "},
      {4, {kFloat, 8, 1, 2}, "needs one row; "},
      {5, {kFloat, 2, 2, 1, 5}, "needs six layers that are as high as wide; "},
      {5, {kFloat, 2, 2, 1, 12}, "needs six layers that are as high as wide; "},
      {5, {kFloat, 2, 4, 1, 6}, "needs six layers that are as high as wide; "},
      {5, {kFloat, 2, 2, 6, 1}, "needs six layers that are as high as wide; "},
      {6, {kFloat, 2, 2, 1, 9}, "needs six layers for each cube, as high as wide; "},
      {6, {kFloat, 4, 2, 1, 12}, "needs six layers for each cube, as high as wide; "},
      {7, {TextureFormat::r32uint, 8, 2, 3, 2}, "needs one layer; "},
      {7, {kFloat, 8, 2, 3}, "holds unsigned integers; those of r32float are floats"},
      {2, {TextureFormat::rg32sint, 8, 2}, "holds floats; those of rg32sint are integers"},
  };
  const char* const names[] = {"line", "lines", "plane", "planes", "strip", "cube", "cubes", "block"};
  for (const Wrong& one : wrong) {
    EXPECT_THAT(said(one.place, one.shape),
                testing::StartsWith(fmt::format("parameter `{}` at [[texture({})]] {}", names[one.place],
                                                one.place, one.says)));
  }
}

}  // namespace
}  // namespace assay::metal
