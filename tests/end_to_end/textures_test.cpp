// Kernels with textures and samplers, as manifests state them. Varied: kinds, formats and access; what does
// not fit; faults that only a texel shows.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;

const std::string kTextureHead = "#include <metal_stdlib>\nusing namespace metal;\n";

class Textures : public testing::Test {
 protected:
  metal::ProcessResult verify(const std::string& manifest, const std::string& kernels,
                              std::vector<std::string> more = {}) {
    scratch_.write("k.metal", kTextureHead + kernels);
    scratch_.write("m.toml", manifest);
    std::vector<std::string> arguments = {
        "verify", "--numerics", "strict", "--cases", "30", "--manifest", (scratch_ / "m.toml").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto result = assay(arguments);
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result;
  }

  Scratch scratch_;
  std::string words_;
};

/// Buffers alone: an image of one type in, another of the same extents out.
std::string texture_entry(const std::string& name, const std::string& textures,
                          const std::string& type = "float", const std::string& more = "",
                          const std::string& shape = "\"H\", \"W\"") {
  return fmt::format(
      "[[kernel]]\nname = \"{0}\"\nsource = \"k.metal\"\ntextures = {1}\n{3}"
      "threads_per_threadgroup = [8, 8]\ngrid = [\"W\", \"H\", 1]\ngrid_unit = \"threads\"\n"
      "dimensions = [{{ name = \"H\", largest = 32 }}, {{ name = \"W\", largest = 64 }}]\ntensors = [\n"
      "  {{ name = \"image\", type = \"{2}\", shape = [{4}] }},\n"
      "  {{ name = \"out\", type = \"{2}\", shape = [{4}], access = \"out\" }},\n]\n",
      name, textures, type, more, shape);
}

constexpr const char* kBoth =
    "[{ tensor = \"image\", kind = \"2d\", format = \"r32float\" },\n"
    "  { tensor = \"out\", kind = \"2d\", format = \"r32float\" }]";

std::string texture_kernel(const std::string& name, const std::string& body,
                           const std::string& parameters = "") {
  return fmt::format(
      "kernel void {}(texture2d<float, access::read> image [[texture(0)]],\n"
      "    texture2d<float, access::write> out [[texture(1)]],{}\n"
      "    uint2 at [[thread_position_in_grid]]) {{\n{}\n}}\n",
      name, parameters, body);
}

// A tensor as each kind of texture, with a format of each type; the reference reads the tensor.
TEST_F(Textures, OfEveryKindAreReadAndWrittenAsTheirTensorsSay) {
  struct Kind {
    const char *name, *kind, *format, *type, *shape, *metal, *position, *value;
  };
  constexpr std::array<Kind, 7> kKinds = {{
      {"line", "1d", "r32float", "float", "\"W\"", "texture1d<float", "at.x", "2 * image(c)"},
      {"flat", "2d", "rg16float", "half", "\"H\", \"W\", 2", "texture2d<half", "at.xy", "2 * image(c)"},
      {"packed", "2d", "rgba32float", "float", "\"H\", \"4 * W\"", "texture2d<float", "at.xy",
       "2 * image(c)"},
      {"layers", "2d_array", "r32uint", "uint", "\"H\", 3, \"W\"", "texture2d_array<uint",
       "uint2(at.x, at.z), at.y", "2 * Index(image(c)) % 4294967296"},
      {"solid", "3d", "rg32sint", "int", "\"H\", 2, \"W\", 2", "texture3d<int", "uint3(at.x, at.z, at.y)",
       "2 * Index(image(c))"},
      {"row", "texture_buffer", "r16uint", "ushort", "\"W\"", "texture_buffer<ushort", "at.x",
       "2 * Index(image(c)) % 65536"},
      {"bytes", "2d", "r8uint", "uchar", "\"H\", \"W\"", "texture2d<ushort", "at.xy",
       "2 * Index(image(c)) % 256"},
  }};
  std::string manifest, text;
  for (const Kind& one : kKinds) {
    // One run over all elements, whatever the axes: flat() counts them.
    scratch_.write(
        fmt::format("{}.reference.cpp", one.name),
        fmt::format("void reference() {{\n  for (Index i = 0; i < image.size(); ++i) out.flat(i) = {};\n}}\n",
                    std::regex_replace(std::string(one.value), std::regex("image\\(c\\)"), "image.flat(i)")));
    const std::string values = std::string(one.type) == "int" ? ", values = { from = -1000, to = 1000 }" : "";
    manifest += fmt::format(
        "[[operation]]\nname = \"{0}\"\nreference = \"{0}.reference.cpp\"\n"
        "dimensions = [{{ name = \"H\", largest = 8 }}, {{ name = \"W\", largest = 64 }}]\ntensors = [\n"
        "  {{ name = \"image\", type = \"{1}\", shape = [{2}]{5} }},\n"
        "  {{ name = \"out\", type = \"{1}\", shape = [{2}], access = \"out\" }},\n]\n"
        "[[kernel]]\nname = \"{0}\"\nsource = \"k.metal\"\noperation = \"{0}\"\n"
        "textures = [{{ tensor = \"image\", kind = \"{3}\", format = \"{4}\" }}, \"-\",\n"
        "  {{ tensor = \"out\", kind = \"{3}\", format = \"{4}\" }}]\n"
        "threads_per_threadgroup = [8, 1, 8]\ngrid = [\"W\", 3, \"H\"]\ngrid_unit = \"threads\"\n",
        one.name, one.type, one.shape, one.kind, one.format, values);
    text += fmt::format(
        "kernel void {0}({1}, access::read> image [[texture(0)]], texture2d<float> none [[texture(1), "
        "function_constant(kNever)]],\n    {1}, access::write> out [[texture(2)]], uint3 at "
        "[[thread_position_in_grid]]) {{\n  if ({2}) return;\n  out.write(2 * image.read({3}), {3});\n}}\n",
        one.name, one.metal,
        std::string(one.shape).starts_with("\"W\"") ? "at.y + at.z > 0"
        : std::string(one.kind) == "2d"             ? "at.y > 0"
        : std::string(one.kind) == "3d"             ? "at.y > 1"
                                                    : "false",
        std::string(one.kind) == "2d"         ? "at.xz"
        : std::string(one.kind) == "2d_array" ? "uint2(at.x, at.y), at.z"
        : std::string(one.kind) == "3d"       ? "uint3(at.x, at.y, at.z)"
                                              : "at.x");
  }
  const auto result =
      verify(manifest, "constant bool kNever [[function_constant(0)]];\n" + text, {"--jobs", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

/// Doubles `image` into `out`, texel by texel.
std::string doubled_entry(const std::string& name, const std::string& kind, const std::string& shape,
                          const std::string& grid) {
  return fmt::format(
      "[[operation]]\nname = \"{0}\"\nreference = \"doubled.reference.cpp\"\n"
      "dimensions = [{{ name = \"L\", largest = 4 }}, {{ name = \"W\", largest = 9 }}]\ntensors = [\n"
      "  {{ name = \"image\", type = \"float\", shape = [{2}] }},\n"
      "  {{ name = \"out\", type = \"float\", shape = [{2}], access = \"out\" }},\n]\n"
      "[[kernel]]\nname = \"{0}\"\nsource = \"k.metal\"\noperation = \"{0}\"\n"
      "textures = [{{ tensor = \"image\", kind = \"{1}\", format = \"r32float\" }},\n"
      "  {{ tensor = \"out\", kind = \"{1}\", format = \"r32float\" }}]\n"
      "threads_per_threadgroup = [4, 4, 2]\ngrid = [{3}]\ngrid_unit = \"threads\"\n",
      name, kind, shape, grid);
}

// Cubes, which have six square faces each, and layers of lines.
TEST_F(Textures, OfCubesAndOfLayersOfLines) {
  scratch_.write(
      "doubled.reference.cpp",
      "void reference() {\n  for (Index i = 0; i < image.size(); ++i) out.flat(i) = 2 * image.flat(i);\n}\n");
  const auto kernel = [](const std::string& name, const std::string& type, const std::string& at) {
    return fmt::format(
        "kernel void {0}({1}<float, access::read> image [[texture(0)]],\n"
        "    {1}<float, access::write> out [[texture(1)]], uint3 at [[thread_position_in_grid]]) {{\n"
        "  out.write(2 * image.read({2}), {2});\n}}\n",
        name, type, at);
  };
  const std::string text = kernel("lines", "texture1d_array", "at.x, at.y") +
                           kernel("globe", "texturecube", "at.xy, at.z") +
                           kernel("globes", "texturecube_array", "at.xy, at.z % 6, at.z / 6");
  const std::string lines = doubled_entry("lines", "1d_array", "\"L\", \"W\"", "\"W\", \"L\", 1");
  const auto globe = [](const std::string& shape, const std::string& kind = "cube") {
    return doubled_entry("globe", kind, shape, "\"W\", \"W\", 6");
  };
  const auto globes = [](const std::string& shape) {
    return doubled_entry("globes", "cube_array", shape, "\"W\", \"W\", \"6 * L\"");
  };
  const auto result = verify(lines + globe("6, \"W\", \"W\"") + globes("\"6 * L\", \"W\", \"W\""), text);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;

  const auto said = [&](const std::string& manifest) {
    EXPECT_EQ(verify(manifest, text, {"--mode", "fast"}).exit_code, 2) << words_;
    return words_;
  };
  EXPECT_THAT(said(globe("6, \"W\", \"W\"", "2d_array")),
              HasSubstr("textures[0].kind: kernel globe: is \"2d_array\", and `image` is of kind \"cube\""));
  EXPECT_THAT(
      said(globe("5, \"W\", \"W\"")),
      HasSubstr(
          "textures[0].tensor: kernel globe: it is 5 faces of 1 x 1 there; a cube has six, as high as wide"));
  EXPECT_THAT(said(globe("6, 3, 4")), HasSubstr("it is 6 faces of 3 x 4 there; a cube has six"));
  EXPECT_THAT(said(globes("\"6 * L + 1\", \"W\", \"W\"")),
              HasSubstr("it is 7 faces of 1 x 1 there; each cube has six, as high as wide"));
}

// The kernel alone says that it counts in texels.
TEST_F(Textures, AtomicsOnAFormatThatHasNoneAreAFault) {
  const auto entry = [](const std::string& format, const std::string& shape) {
    return fmt::format(
        "[[kernel]]\nname = \"count\"\nsource = \"k.metal\"\n"
        "textures = [{{ tensor = \"votes\", format = \"{}\" }}]\n"
        "threads_per_threadgroup = 32\ngrid = [\"W\", 1, 1]\ngrid_unit = \"threads\"\n"
        "dimensions = [{{ name = \"W\", largest = 64 }}]\n"
        "tensors = [{{ name = \"votes\", type = \"uint\", shape = [{}], access = \"inout\" }}]\n",
        format, shape);
  };
  const std::string text =
      "kernel void count(texture2d<uint, access::read_write> votes [[texture(0)]],\n"
      "    uint i [[thread_position_in_grid]]) {\n"
      "  uint4 none = 0;\n"
      "  while (!votes.atomic_compare_exchange_weak(uint2(i, 0), &none, none + 1)) {}\n}\n";
  EXPECT_EQ(verify(entry("r32uint", "1, \"W\""), text).exit_code, 0) << words_;
  EXPECT_EQ(verify(entry("rg32uint", "1, \"W\", 2"), text).exit_code, 1);
  EXPECT_THAT(words_,
              testing::ContainsRegex("count: CRASH [^ ]*k.metal:6: an atomic on `votes`, a texture of "
                                     "rg32uint; only r32uint and r32sint have atomics"));
}

// The same faults as in buffers, at texels that the report names.
TEST_F(Textures, FaultsNameTheTextureAndTheTexel) {
  const std::string rest = "  out.write(image.read(at), at);";
  verify(texture_entry("copied", kBoth) + texture_entry("raced", kBoth) +
             texture_entry("half_written", kBoth) + texture_entry("unread", kBoth) +
             texture_entry("aliased",
                           "[{ tensor = \"image\", format = \"r32float\" }, { tensor = \"out\", format = "
                           "\"r32float\" }, { tensor = \"out\", format = \"r32float\" }]"),
         texture_kernel("copied", rest) +
             texture_kernel("raced", rest + "\n  if (at.y < 2) out.write(1, uint2(at.x, 0));") +
             texture_kernel("half_written", "  if (at.x > 0) out.write(image.read(at), at);") +
             texture_kernel("unread", "  out.write(image.read(uint2(at.x + 1, at.y)), at);") +
             texture_kernel(
                 "aliased",
                 "  const float old = before.read(at).x;\n  out.write(image.read(at).x + 0 * old, at);",
                 " texture2d<float, access::read> before [[texture(2)]],"));
  EXPECT_THAT(words_,
              HasSubstr("2 of 5 kernels pass"));  // `unread` reads zeros past the edge, as Metal has it
  EXPECT_THAT(words_, testing::ContainsRegex(
                          "raced: RACE [^ ]*: simdgroup 0 writes `out` at byte 0, texel \\(0, 0\\) twice"));
  EXPECT_THAT(words_, testing::ContainsRegex("`out` at byte 0, texel \\(?0"));
  EXPECT_THAT(words_, HasSubstr("elements of out were never written; the first is out[0,0]"));
  EXPECT_THAT(words_,
              testing::ContainsRegex("aliased: UNINITIALISED READ [^ ]*: a read of `out` at byte 0, texel"));
}

// A failure is shrunk, replayed from its line, and says which element is wrong.
TEST_F(Textures, FailuresAreShrunkAndReplayed) {
  scratch_.write("twice.reference.cpp",
                 "void reference() {\n  for (Index h = 0; h < H; ++h)\n    for (Index w = 0; w < W; ++w) "
                 "out(h, w) = 2 * "
                 "image(h, w);\n}\n");
  const std::string buffers =
      "dimensions = [{ name = \"H\", largest = 32 }, { name = \"W\", largest = 64 }]\ntensors = [\n"
      "  { name = \"image\", type = \"float\", shape = [\"H\", \"W\"] },\n"
      "  { name = \"out\", type = \"float\", shape = [\"H\", \"W\"], access = \"out\" },\n]\n";
  const std::string manifest =
      "[[operation]]\nname = \"twice\"\nreference = \"twice.reference.cpp\"\n" + buffers +
      "[[kernel]]\nname = \"twice\"\nsource = \"k.metal\"\noperation = \"twice\"\ntextures = " + kBoth +
      "\nthreads_per_threadgroup = [8, 8]\ngrid = [\"W\", \"H\", 1]\ngrid_unit = \"threads\"\n";
  EXPECT_EQ(
      verify(manifest, texture_kernel("twice", "  out.write((at.x == 9 ? 3 : 2) * image.read(at), at);"))
          .exit_code,
      1);
  EXPECT_THAT(words_, HasSubstr("twice: WRONG RESULT"));
  EXPECT_THAT(words_, HasSubstr("H=1 W=10"));
  EXPECT_THAT(words_, HasSubstr("out[0,9]"));
  std::smatch line;
  ASSERT_TRUE(std::regex_search(words_, line, std::regex("assay replay '([^']*)'")));
  const auto replayed = assay({"replay", line[1].str(), "--trace"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("image: f32 [1, 10]"));
  EXPECT_THAT(replayed.out, HasSubstr("out: f32 [1, 10]"));
}

// The host's sampler is the manifest's.
TEST_F(Textures, SamplersAreBoundAsTheManifestSays) {
  const std::string look =
      texture_kernel("look", "  out.write(image.sample(s, float2(at) + float2(1.5f, 0.5f)), at);",
                     " sampler s [[sampler(0)]],");
  const std::string sampled = std::regex_replace(look, std::regex("access::read"), "access::sample");
  for (const auto& [address, edge] : {std::pair{"clamp_to_edge", "image(h, W - 1)"},
                                      {"clamp_to_zero", "Number(0)"},
                                      {"repeat", "image(h, 0)"}}) {
    scratch_.write(
        "moved.reference.cpp",
        fmt::format("void reference() {{\n  for (Index h = 0; h < H; ++h)\n    for (Index w = 0; w < W; ++w) "
                    "out(h, w) = w + 1 < W ? image(h, w + 1) : {};\n}}\n",
                    edge));
    std::string manifest =
        texture_entry("look", kBoth, "float",
                      fmt::format("samplers = [{{ filter = \"nearest\", address = [\"{}\", \"repeat\"], "
                                  "coordinates = \"pixel\" }}]\noperation = \"moved\"\n",
                                  address));
    const auto dims = manifest.find("dimensions = ");
    manifest = "[[operation]]\nname = \"moved\"\nreference = \"moved.reference.cpp\"\n" +
               manifest.substr(dims) + manifest.substr(0, dims);
    const auto result = verify(manifest, sampled, {"--mode", "fast"});
    EXPECT_EQ(result.exit_code, 0) << address << result.out << result.err;
  }
}

struct Misfit {
  const char *what, *textures, *type, *says;
};

// What cannot be is an error at its field, and status 2.
TEST_F(Textures, WhatDoesNotFitIsAnErrorAtItsField) {
  constexpr std::array<Misfit, 13> kMisfits = {{
      {"unknown format", "[{ tensor = \"image\", format = \"r33float\" }]", "float",
       "m.toml:4: textures[0].format: `r33float` is not one of r8unorm, rg8unorm"},
      {"unknown kind", "[{ tensor = \"image\", kind = \"4d\", format = \"r32float\" }]", "float",
       "textures[0].kind: `4d` is not one of 1d, 2d, 2d_array, 3d, texture_buffer"},
      {"unknown tensor", "[{ tensor = \"picture\", format = \"r32float\" }]", "float",
       "textures[0].tensor: kernel k: `picture` is no tensor; there are image, out"},
      {"another type", "[{ tensor = \"image\", format = \"r16float\" }]", "float",
       "textures[0].format: kernel k: r16float has channels of f16, and image has elements of f32; write "
       "r32float, "
       "rg32float, rgba32float"},
      {"another rank", "[{ tensor = \"image\", kind = \"3d\", format = \"r32float\" }]", "float",
       "textures[0].kind: kernel k: image has 2 axes; a texture of kind 3d has 3: [depth, height, width]"},
      {"channels", "[{ tensor = \"image\", kind = \"1d\", format = \"rg32float\" }]", "float",
       "textures[0].format: kernel k: rg32float has 2 channels, and the last axis of image is"},
      {"a kind that is not the kernel's",
       "[{ tensor = \"image\", kind = \"2d\", format = \"r32float\" }, { tensor = \"out\", kind = \"1d\", "
       "format = "
       "\"rg32float\" }]",
       "float", "textures[1].kind: kernel k: is \"1d\", and `out` is of kind \"2d\""},
      {"numbers that are not the kernel's",
       "[{ tensor = \"image\", format = \"r32uint\" }, { tensor = \"out\", format = \"r32uint\" }]", "uint",
       "textures[0].format: kernel k: r32uint does not hold the numbers of `image`, which may be of "
       "r32float"},
      {"an input that is written",
       "[{ tensor = \"out\", format = \"r32float\" }, { tensor = \"image\", format = \"r32float\" }]",
       "float", "textures[0].tensor: kernel k: out is an output, and `image` can only be read"},
      {"none",
       "[{ tensor = \"image\", format = \"r32float\" }, \"-\", { tensor = \"out\", format = \"r32float\" }]",
       "float", "textures[2]: kernel k: k has no [[texture(2)]]; it has image at 0, out at 1"},
      {"one that is missing", "[\"-\", { tensor = \"out\", format = \"r32float\" }]", "float",
       "textures: kernel k: parameter `image` at [[texture(0)]] has nothing bound to it; write textures = "
       "[...] with { "
       "tensor = \"...\", kind = \"2d\", format = \"r32float\" } at place 0"},
      {"a word that nobody knows", "[{ tensor = \"image\", format = \"r32float\", mips = 3 }]", "float",
       "textures[0].mips"},
      {"no table", "[3]", "float", "textures[0]: is neither \"-\" nor a table"},
  }};
  for (const Misfit& one : kMisfits) {
    std::string manifest = texture_entry("k", one.textures, one.type);
    if (std::string(one.what) == "channels")
      manifest = std::regex_replace(manifest, std::regex("\"W\"\\] \\}"), "3] }");
    const auto result =
        verify(manifest, texture_kernel("k", "  out.write(image.read(at), at);"), {"--mode", "fast"});
    EXPECT_EQ(result.exit_code, 2) << one.what << words_;
    EXPECT_THAT(words_, HasSubstr(one.says)) << one.what;
  }
  const auto result = verify(texture_entry("k", kBoth, "float", "samplers = [{ filter = \"cubic\" }]\n"),
                             texture_kernel("k", "  out.write(image.read(at), at);"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("samplers[0].filter: `cubic` is not one of nearest, linear"));
  verify(texture_entry("k", kBoth, "float", "samplers = [{}]\n"),
         texture_kernel("k", "  out.write(image.read(at), at);"));
  EXPECT_THAT(words_, HasSubstr("samplers[0]: kernel k: k has no [[sampler(0)]]; it has none"));
  verify(texture_entry("k", kBoth),
         texture_kernel("k", "  out.write(image.read(at), at);", " sampler s [[sampler(1)]],"));
  EXPECT_THAT(words_,
              HasSubstr("parameter `s` at [[sampler(1)]] has nothing bound to it; write samplers = [...]"));
}

// Metal's textures have at most 16,384 texels a side: longer cases are not drawn.
TEST_F(Textures, AreNoLongerThanMetalHasThem) {
  scratch_.write("k.metal", kTextureHead + texture_kernel("k", "  out.write(image.read(at), at);"));
  scratch_.write("m.toml", texture_entry("k", kBoth));
  const auto replay = [&](const std::string& width) {
    return assay(
        {"replay",
         fmt::format("kernel=k manifest={} mode=fast operation=buffers H=1 W={} regime=stated seed=0",
                     (scratch_ / "m.toml").string(), width)});
  };
  EXPECT_EQ(replay("16384").exit_code, 0);
  const auto longer = replay("16385");
  EXPECT_EQ(longer.exit_code, 2);
  EXPECT_THAT(longer.err, HasSubstr("W is 16385; the kernel requires it to be at most 16384"));
}

}  // namespace
}  // namespace assay::end_to_end
