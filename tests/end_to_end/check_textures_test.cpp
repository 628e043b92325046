// `assay check`: kernels of textures.
#include "tests/end_to_end/check.hpp"

namespace assay::end_to_end {
namespace {

const std::string kShade =
    "kernel void shade(texture2d<float, access::read> in [[texture(0)]],\n"
    "                  texture2d<float, access::write> out [[texture(1)]], constant float& gain "
    "[[buffer(0)]],\n"
    "                  uint2 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= out.get_width() || at.y >= out.get_height()) return;\n"
    "  out.write(gain * in.read(at), at);\n}\n";

TEST_F(Check, AKernelOfTexturesHasAThreadForEachTexel) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(check(kShade, {"--manifest-out", manifest.string()}).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("in is rgba32float [H, W]; change it with --texture in=FORMAT[EXTENTS]"));
  EXPECT_THAT(words_, HasSubstr("the grid is [W, H, 1] threads"));
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr("{ tensor = \"out\", kind = \"2d\", format = \"rgba32float\" }"));
  EXPECT_THAT(text,
              HasSubstr("name = \"out\", type = \"float\", shape = [\"H\", \"W\", 4], access = \"out\""));
}

// 16 x 8 threads write all of a tile; 8 x 8, with which it runs too, write half of it.
TEST_F(Check, ThreadsAreThoseThatWriteTexturesWhole) {
  const auto text = read(kSource / "examples/gallery/convolution.metal");
  EXPECT_EQ(check(text).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("16 x 8 threads in a threadgroup (`i += WIDTH * HEIGHT` in the text)"));
  const auto untold = with(text, "i += WIDTH * HEIGHT", "i = i + WIDTH * HEIGHT");
  EXPECT_EQ(check(untold).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("16 x 8 threads in a threadgroup, because the kernel faults with 16 x 16"));
  EXPECT_THAT(words_, HasSubstr("out is only stored to"));
}

TEST_F(Check, TexelsThatNobodyWroteAreFoundAndTheirTextureIsNamed) {
  EXPECT_EQ(check(with(kShade, "at.y >= out", "at.y + 1 >= out"), {"--texture", "out=:out"}).exit_code, 2);
  EXPECT_EQ(check(with(kShade, "at.y >= out", "at.y + 1 >= out"),
                  {"--texture", "out=:out", "--grid", "W,H", "--dim", "W=1:30", "--dim", "H=1:30", "--scalar",
                   "gain=2"})
                .exit_code,
            1)
      << words_;
  EXPECT_THAT(words_, HasSubstr("were never written"));
  EXPECT_THAT(words_, HasSubstr("add --texture out=:inout"));
}

TEST_F(Check, ATextureIsWhatItIsToldToBe) {
  EXPECT_EQ(check(kShade, {"--texture", "in=rgba8unorm[2*H,W]", "--texture", "out=r16float[H,W]:out", "--dim",
                           "W=1:40"})
                .exit_code,
            0)
      << words_;
  EXPECT_THAT(words_, Not(HasSubstr("change it with --texture in=FORMAT")));
}

TEST_F(Check, ValuesOfATextureMayStayBelowADimension) {
  const std::string pick =
      "kernel void pick(texture2d<uint, access::read> from [[texture(0)]], device const float* x,\n"
      "                 device float* y, uint2 at [[thread_position_in_grid]]) {\n"
      "  if (at.x < from.get_width() && at.y < from.get_height())\n"
      "    y[at.y * from.get_width() + at.x] = x[from.read(at).x];\n}\n";
  EXPECT_EQ(check(pick, {"--texture", "from=r32uint:below=E", "--buffer", "x=float[E]", "--dim", "E=1:50"})
                .exit_code,
            0)
      << words_;
  EXPECT_EQ(check(pick, {"--texture", "from=r32uint:below=E", "--buffer", "x=float[7]", "--dim", "E=20:50",
                         "--grid", "W,H", "--dim", "W=1:30", "--dim", "H=1:30"})
                .exit_code,
            1);
  EXPECT_THAT(words_, HasSubstr("OUT OF BOUNDS"));
}

// Neighbours read what a thread of another simdgroup may have written already.
TEST_F(Check, ATextureThatIsChangedInPlaceHasRaces) {
  EXPECT_EQ(check("kernel void smear(texture2d<float, access::read_write> image [[texture(0)]],\n"
                  "                  uint2 at [[thread_position_in_grid]]) {\n"
                  "  if (at.x + 1 >= image.get_width() || at.y >= image.get_height()) return;\n"
                  "  image.write(0.5f * (image.read(at) + image.read(at + uint2(1, 0))), at);\n}\n")
                .exit_code,
            1);
  EXPECT_THAT(words_, HasSubstr("smear: RACE"));
}

// Volumes, layers, lines and samplers; extents that are scalars of the kernel, and textures in an array.
TEST_F(Check, TexturesOfAllExtentsAreDrafted) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(
      check(
          "kernel void mixed(texture3d<float> volume [[texture(0)]], texture2d_array<half, access::read> "
          "layers\n"
          "    [[texture(1)]], texture1d<uint, access::read> line [[texture(2)]], sampler s [[sampler(0)]],\n"
          "    array<texture2d<float, access::read>, 2> pair [[texture(3)]], device float* y [[buffer(0)]],\n"
          "    texturecube<float> sky [[texture(5)]], texturecube_array<float, access::read> skies "
          "[[texture(6)]],\n"
          "    constant uint& width [[buffer(1)]], uint2 at [[thread_position_in_grid]]) {\n"
          "  if (at.x >= width || at.y >= layers.get_height()) return;\n"
          "  const float3 place = float3(float2(at), 0.5f) / float3(width, layers.get_height(), 1);\n"
          "  y[at.y * width + at.x] = volume.sample(s, place).x + float(layers.read(at, 0).y) +\n"
          "      float(line.read(at.x).x & 3) + pair[0].read(at).z + pair[1].read(at).w +\n"
          "      sky.sample(s, place).x + skies.read(at, 3, 0).y;\n}\n",
          {"--manifest-out", manifest.string()})
          .exit_code,
      0)
      << words_;
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr("kind = \"3d\""));
  EXPECT_THAT(text, HasSubstr("kind = \"2d_array\", format = \"rgba16float\""));
  EXPECT_THAT(text, HasSubstr("tensor = \"pair_1\""));
  EXPECT_THAT(text, HasSubstr("filter = \"linear\""));
  EXPECT_THAT(text, HasSubstr("name = \"sky\", type = \"float\", shape = [6, \"width\", \"width\", 4]"));
  EXPECT_THAT(text,
              HasSubstr("name = \"skies\", type = \"float\", shape = [\"6 * L\", \"width\", \"width\", 4]"));
  EXPECT_THAT(text, HasSubstr("name = \"line\", type = \"uint\", shape = [\"width\", 4]"));
}

}  // namespace
}  // namespace assay::end_to_end
