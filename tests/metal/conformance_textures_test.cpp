// Conformance: textures and samplers, bound as launches bind them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/metal/conformance.hpp"

namespace assay::metal {
namespace {

using device::TextureFormat;

class ConformanceOfTextures : public BothModes {
 protected:
  // Runs a kernel of textures.metal; buffers and textures are left as the launch leaves them.
  struct Bound {
    device::TextureShape shape;
    std::vector<std::byte> bytes;
  };
  template <class T>
  static Bound bound(device::TextureShape shape, const std::vector<T>& texels) {
    const auto bytes = std::as_bytes(std::span(texels));
    return {shape, {bytes.begin(), bytes.end()}};
  }
  template <class T>
  static std::vector<T> values(const std::vector<std::byte>& bytes) {
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  static void run_clean(const char* function, std::vector<Bound>& textures,
                        std::vector<std::vector<std::byte>>& buffers, device::Size3 threads,
                        std::vector<std::optional<device::Sampler>> samplers = {}) {
    for (const auto& fault : run(function, textures, buffers, threads, std::move(samplers)).faults) {
      ADD_FAILURE() << fault.place.file << ":" << fault.place.line << ": " << fault.message;
    }
  }
  static device::LaunchReport run(const char* function, std::vector<Bound>& textures,
                                  std::vector<std::vector<std::byte>>& buffers, device::Size3 threads,
                                  std::vector<std::optional<device::Sampler>> samplers = {}) {
    simulator::Options options;
    options.mode = GetParam().mode;
    simulator::SimulatedGpu gpu(options);
    device::Dispatch launch;
    launch.kernel = gpu.load({.path = source_path("conformance/textures.metal"),
                              .function = function,
                              .defines = {},
                              .include_dirs = {},
                              .function_constants = {}});
    std::vector<device::BufferId> ids;
    const auto put = [&](const std::vector<std::byte>& bytes) {
      ids.push_back(gpu.allocate(bytes.size()));
      gpu.upload(ids.back(), 0, bytes);
      return device::BufferSlice{ids.back(), 0, bytes.size()};
    };
    for (const auto& one : textures) launch.textures.push_back(device::Texture{put(one.bytes), one.shape});
    for (const auto& one : buffers) launch.arguments.push_back(put(one));
    launch.samplers = std::move(samplers);
    launch.threads_per_threadgroup = threads;
    auto report = gpu.dispatch(launch);
    std::size_t next = 0;
    for (auto& one : textures) gpu.download(ids[next++], 0, one.bytes);
    for (auto& one : buffers) gpu.download(ids[next++], 0, one);
    return report;
  }
};
ASSAY_BOTH_MODES(ConformanceOfTextures);

TEST_P(ConformanceOfTextures, ReadAndWrittenInEveryFormat) {
  // Four texels of one row each; what is read of them, doubled and stored as half.
  const std::vector<std::uint8_t> bytes = {0, 51, 102, 255, 255, 0, 204, 153, 1, 2, 3, 4, 128, 64, 32, 16};
  std::vector<Bound> textures = {bound({TextureFormat::rgba8unorm, 2, 2, 1, 1}, bytes),
                                 bound({TextureFormat::rgba16float, 2, 2, 1, 1}, std::vector<Half>(16))};
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(16)};
  run_clean("print", textures, buffers, {2, 2, 1});
  const auto printed = values<Half>(textures[1].bytes);
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_EQ(float(printed[k]), float(static_cast<Half>(float(bytes[k]) * (1.0f / 255) * 2))) << k;
  EXPECT_EQ(values<std::uint32_t>(buffers[0]), (std::vector<std::uint32_t>{2, 2, 1, 0}));

  // One channel is followed by 0, 0, 1; numbers outside of 0 to 1 are cut by formats that lack them.
  textures = {bound({TextureFormat::r32float, 2, 1, 1, 1}, std::vector<float>{0.25f, 3}),
              bound({TextureFormat::rgba8unorm, 2, 1, 1, 1}, std::vector<std::uint8_t>(8))};
  run_clean("print", textures, buffers, {2, 1, 1});
  EXPECT_EQ(values<std::uint8_t>(textures[1].bytes),
            (std::vector<std::uint8_t>{128, 0, 0, 255, 255, 0, 0, 255}));
  EXPECT_EQ(device::texel_bytes(TextureFormat::rg16float), 4u);
}

TEST_P(ConformanceOfTextures, SampledByEveryAddressAndFilter) {
  // 4 x 2 texels: 0 1 2 3 above 10 11 12 13.
  std::vector<Bound> textures = {
      bound({TextureFormat::r32float, 4, 2, 1, 1}, std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13})};
  const std::vector<float> places = {1.5f,  0.5f, -0.5f, 0.5f, 4.5f, 1.5f,  2.0f, 1.0f,
                                     0.25f, 0.5f, 5.5f,  0.5f, 3.5f, -3.0f, 1.5f, 1.75f};
  const auto bytes = std::as_bytes(std::span(places));
  std::vector<std::vector<std::byte>> buffers = {{bytes.begin(), bytes.end()}, std::vector<std::byte>(256)};
  device::Sampler made;
  made.linear = true;
  made.wrap.fill(device::TextureWrap::clamp_to_edge);
  run_clean("look", textures, buffers, {8, 1, 1}, {made});
  const auto found = values<float>(buffers[1]);
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

TEST_P(ConformanceOfTextures, OfThreeDimensionsOfOneAndOfSeveralLayers) {
  std::vector<Bound> textures = {
      bound({TextureFormat::r16float, 1, 1, 4, 1}, std::vector<Half>{1, 2, 4, 8}),
      bound({TextureFormat::rg32uint, 2, 1, 1, 2}, std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}),
      bound({TextureFormat::r32sint, 4, 1, 1, 1}, std::vector<std::int32_t>{1, -2, 3, -4})};
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(32)};
  run_clean("stack", textures, buffers, {4, 1, 1});
  EXPECT_EQ(values<float>(buffers[0]), (std::vector<float>{1, 2, 4, 8, 4, 8, 4, 8}));
  EXPECT_EQ(values<std::int32_t>(textures[2].bytes), (std::vector<std::int32_t>{-4, -7, -2, -9}));
}

TEST_P(ConformanceOfTextures, OfDepths) {
  const std::vector<float> depths = {1, 3, 4, 2};
  std::vector<Bound> textures = {
      bound({TextureFormat::r32float, 4, 1, 1, 1}, depths),
      bound({TextureFormat::r32float, 4, 1, 1, 1}, std::vector<float>{10, 20, 30, 40})};
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(48)};
  run_clean("sound", textures, buffers, {4, 1, 1});
  // Half way between two texels, of which none, one or both are deeper than 2.5; the last stands alone.
  EXPECT_EQ(values<float>(buffers[0]),
            (std::vector<float>{0.5f, 1, 0.5f, 0, 11, 23, 34, 42, 4 + 3, 4 + 4, 4 + 2, 4 + 2}));
}

// Texel (x, y) of face f of the first cube is 10 f + 2 y + x; the second has 100 more.
TEST_P(ConformanceOfTextures, OfCubes) {
  std::vector<float> texels;
  for (int cube = 0; cube < 2; ++cube)
    for (int face = 0; face < 6; ++face)
      for (int at = 0; at < 4; ++at) texels.push_back(float(100 * cube + 10 * face + at));
  const std::vector<float> first(texels.begin(), texels.begin() + 24);
  const auto looks = std::vector<float>{1,    0.5f, -0.5f, -2, -1, -1,    0.1f, 3,    0.2f, -0.5f, -1, 0.5f,
                                        0.5f, 0.5f, 1,     0,  0,  -0.5f, 1,    0.5f, 1,    1,     1,  1};
  const auto bytes = std::as_bytes(std::span(looks));
  std::vector<Bound> textures = {bound({TextureFormat::r32float, 2, 2, 1, 6}, first),
                                 bound({TextureFormat::r32float, 2, 2, 1, 6}, first),
                                 bound({TextureFormat::r16float, 2, 2, 1, 6}, std::vector<Half>(24)),
                                 bound({TextureFormat::r32float, 2, 2, 1, 12}, texels)};
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(128), {bytes.begin(), bytes.end()}};
  run_clean("globe", textures, buffers, {8, 1, 1});
  const auto out = values<float>(buffers[0]);
  // The places lie at the middle of a texel, but for the last three: the middle of a face, of an edge above
  // the face's middle, and a corner.
  const std::vector<float> nearest = {1, 12, 23, 30, 41};
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    EXPECT_EQ(out[i], nearest[i]) << i;
    EXPECT_EQ(out[24 + i], 100 + nearest[i]) << i;
  }
  for (const std::size_t i : {0u, 3u, 4u}) EXPECT_EQ(out[8 + i], nearest[i]) << i;
  EXPECT_EQ(out[8 + 5], (50 + 51 + 52 + 53) / 4.0f);
  EXPECT_EQ(out[8 + 6], (0 + 41) / 2.0f) << "the texels on both sides of the edge of +x and +z";
  EXPECT_NEAR(out[8 + 7], (0 + 41 + 23) / 3.0f, 1e-4) << "those of the three faces that meet";
  EXPECT_EQ(out[16 + 0], 0) << "32.5 is less than none of them";
  EXPECT_EQ(out[16 + 4], 1);
  EXPECT_EQ(out[16 + 6], 0.5f);
  const auto copied = values<Half>(textures[2].bytes);
  for (std::size_t face = 0; face < 6; ++face)
    EXPECT_EQ(float(copied[4 * face + 2]), float(10 * face + 1 + 2));
}

TEST_P(ConformanceOfTextures, OfLayersSamplesAndManyInOneParameter) {
  std::vector<Bound> textures = {
      bound({TextureFormat::r32float, 2, 1, 1, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}),
      bound({TextureFormat::r32float, 2, 1, 1, 4}, std::vector<float>{1, 2, 3, 4, 2, 3, 5, 6}),
      bound({TextureFormat::r32float, 2, 1, 1, 3}, std::vector<float>{1, 2, 10, 20, 100, 200})};
  for (const float value : {1000.f, 2000.f, 3000.f, 50000.f})
    textures.push_back(bound({TextureFormat::r32float, 1, 1, 1, 1}, std::vector<float>{value}));
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(64)};
  run_clean("sheaf", textures, buffers, {4, 1, 1});
  EXPECT_EQ(values<float>(buffers[0]),
            (std::vector<float>{401.5f, 403.5f, 405.5f, 407.5f, 1, 3 + 1, 2 + 0.5f, 5 + 1, 111, 222, 111, 222,
                                57111, 58222, 59111, 57222}));
  textures.erase(textures.begin() + 5, textures.end());
  try {
    run("sheaf", textures, buffers, {4, 1, 1});
    FAIL() << "the third of the plates is missing";
  } catch (const device::DeviceError& error) {
    EXPECT_STREQ(error.what(), "parameter `plates[2]` at [[texture(5)]] has nothing bound to it");
  }
}

TEST_P(ConformanceOfTextures, ThatAreCountedIn) {
  std::vector<Bound> textures = {
      bound({TextureFormat::r32uint, 4, 1, 1, 1}, std::vector<std::uint32_t>{0, 4, 0, 1}),
      bound({TextureFormat::r32sint, 1, 1, 1, 1}, std::vector<std::int32_t>{9})};
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(128)};
  run_clean("tally", textures, buffers, {32, 1, 1});
  EXPECT_EQ(values<std::uint32_t>(textures[0].bytes), (std::vector<std::uint32_t>{16, 20, 64, 6}));
  EXPECT_EQ(values<std::int32_t>(textures[1].bytes), (std::vector<std::int32_t>{-31}));
}

// Texels are watched as buffers are.
TEST_P(ConformanceOfTextures, ThatTwoThreadsWriteTo) {
  std::vector<Bound> textures = {bound({TextureFormat::r32float, 2, 1, 1, 1}, std::vector<float>(2))};
  std::vector<std::vector<std::byte>> buffers;
  const auto report = run("collide", textures, buffers, {64, 1, 1});
  if (GetParam().mode != simulator::Mode::checked) {
    EXPECT_TRUE(report.faults.empty()) << "fast mode watches no accesses";
    return;
  }
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults[0].kind, device::FaultKind::race);
  EXPECT_THAT(report.faults[0].message, testing::HasSubstr("`card`"));
  EXPECT_EQ(report.faults[0].place.line, 47u);
}

TEST_P(ConformanceOfTextures, ThatAreMissingOrDoNotFit) {
  std::vector<Bound> none;
  std::vector<std::vector<std::byte>> buffers = {std::vector<std::byte>(16)};
  const auto said = [&](std::vector<Bound> textures) -> std::string {
    try {
      run("print", textures, buffers, {1, 1, 1});
    } catch (const device::DeviceError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said({}), "parameter `card` at [[texture(0)]] has nothing bound to it");
  EXPECT_EQ(said({bound({TextureFormat::r32float, 2, 1, 1, 1}, std::vector<float>(3))}),
            "texture 0 has 12 bytes, but its shape needs 8");
}

}  // namespace
}  // namespace assay::metal
