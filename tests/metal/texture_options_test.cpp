// What may follow the point that is sampled: of every kind of texture, each option is accepted where it means
// something there, alone and beside others, and is refused elsewhere; none changes what is sampled.
#include <gmock/gmock.h>

#include <array>

#include "harness/metal/compile/errors.hpp"
#include "tests/metal/texture_run.hpp"

namespace assay::metal {
namespace {

struct Kind {
  const char *type, *point, *gradient, *offset;  ///< "": it has no offsets
  device::TextureShape shape;
  bool depth = false;
};
constexpr TextureFormat kFloat = TextureFormat::r32float;

const std::array<Kind, 9> kKinds = {{
    {"texture2d<float>", "float2(0.3f, 0.6f)", "gradient2d", "int2", {kFloat, 4, 4}},
    {"texture2d_array<float>", "float2(0.3f, 0.6f), 1u", "gradient2d", "int2", {kFloat, 4, 4, 1, 2}},
    {"texture3d<float>", "float3(0.3f, 0.6f, 0.7f)", "gradient3d", "int3", {kFloat, 4, 4, 4}},
    {"texturecube<float>", "float3(0.3f, 0.6f, 0.7f)", "gradientcube", "", {kFloat, 4, 4, 1, 6}},
    {"texturecube_array<float>", "float3(0.3f, 0.6f, 0.7f), 1u", "gradientcube", "", {kFloat, 4, 4, 1, 12}},
    {"depth2d<float>", "float2(0.3f, 0.6f)", "gradient2d", "int2", {kFloat, 4, 4}, true},
    {"depth2d_array<float>", "float2(0.3f, 0.6f), 1u", "gradient2d", "int2", {kFloat, 4, 4, 1, 2}, true},
    {"depthcube<float>", "float3(0.3f, 0.6f, 0.7f)", "gradientcube", "", {kFloat, 4, 4, 1, 6}, true},
    {"depthcube_array<float>",
     "float3(0.3f, 0.6f, 0.7f), 1u",
     "gradientcube",
     "",
     {kFloat, 4, 4, 1, 12},
     true},
}};

/// What says a level, and what is no option.
const std::array<const char*, 7> kOptions = {
    "level(0)",
    "bias(0.5f)",
    "gradient2d(float2(1), float2(1))",
    "gradient3d(float3(1), float3(1))",
    "gradientcube(float3(1), float3(1))",
    "min_lod_clamp(0.0f)",
    "component::x",
};

/// Arguments behind the point, and whether a texture takes them.
struct Ending {
  std::string text;
  bool accepted;
};

std::vector<Ending> endings(const Kind& kind) {
  const auto says_level = [&](std::string_view option) {
    return option.starts_with("level") || option.starts_with("bias") ||
           option.starts_with(std::string(kind.gradient) + "(");
  };
  const std::string clamp = "min_lod_clamp(0.0f)";
  std::vector<Ending> all = {{"", true}};
  for (const std::string one : kOptions) {
    all.push_back({", " + one, says_level(one) || one == clamp});
    all.push_back({", " + one + ", " + clamp, says_level(one)});
  }
  all.push_back({", " + clamp + ", level(0)", false});
  all.push_back({", level(0), bias(0.5f)", false});
  for (const std::string offset : {"int2(0)", "int3(0)"}) {
    const bool has = *kind.offset != 0 && offset.starts_with(kind.offset);
    for (const std::string before : {"", ", level(0)", ", bias(0.5f), min_lod_clamp(0.0f)"})
      all.push_back({before + ", " + offset, has});
    all.push_back({", " + offset + ", level(0)", false});
  }
  return all;
}

class TextureOptions : public testing::Test {
 protected:
  TextureRun run_of(const std::string& head, const std::string& body) {
    const auto path = directory_.write("options.metal",
                                       "#include <metal_stdlib>\nusing namespace metal;\n"
                                       "constexpr sampler s(filter::linear, compare_func::less);\n" +
                                           head + "kernel void k(device float* out [[buffer(0)]]" + body);
    return {path, "k"};
  }
  TemporaryDirectory directory_;
};

TEST_F(TextureOptions, AreTakenByTheirKinds) {
  std::string body = ") {\n";
  std::vector<std::string> calls;
  std::vector<float> expected;
  for (const Kind& kind : kKinds) {
    for (const char* function : {"sampled", "compared"}) {
      if (function == std::string("compared") && !kind.depth) continue;
      const std::string reference = function == std::string("compared") ? ", 0.5f" : "";
      for (const Ending& ending : endings(kind)) {
        const std::string arguments = "s, " + std::string(kind.point) + reference + ending.text;
        calls.push_back(fmt::format("{} of {} by ({})", function, kind.type, arguments));
        body += fmt::format("  out[{}] = {}<{}>(0, {});\n", expected.size(), function, kind.type, arguments);
        expected.push_back(ending.accepted ? 1 : 0);
      }
    }
  }
  TextureRun run = run_of(
      "template <class T, class... A>\n"
      "auto sampled(int, A... a) -> decltype(declval<const thread T&>().sample(a...), 1) { return 1; }\n"
      "template <class T, class... A> int sampled(long, A...) { return 0; }\n"
      "template <class T, class... A>\n"
      "auto compared(int, A... a) -> decltype(declval<const thread T&>().sample_compare(a...), 1) { return "
      "1; }\n"
      "template <class T, class... A> int compared(long, A...) { return 0; }\n",
      body + "}\n");
  run.buffer(std::vector<float>(expected.size(), -1));
  EXPECT_THAT(run.run(simulator::Mode::fast, {1, 1, 1}).faults, testing::IsEmpty());
  const auto found = run.values<float>(0);
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(found[i], expected[i]) << calls[i];
}

TEST_F(TextureOptions, ChangeNothingWhereThereIsOneLevel) {
  std::string parameters, body = ") {\n";
  std::size_t calls = 0;
  std::vector<std::string> pairs;  // two calls each that see the same
  const auto pair = [&](const std::string& plain, const std::string& call) {
    body += fmt::format("  out[{}] = {};\n  out[{}] = {};\n", calls, plain, calls + 1, call);
    calls += 2;
    pairs.push_back(call);
  };
  // Each ending takes another way to the texels, and so does each second kind.
  for (const std::string ending : {", level(0)", ", bias(0.5f), min_lod_clamp(0.0f)"}) {
    for (std::size_t t = 0; t < kKinds.size(); t += 2) {
      const Kind& kind = kKinds[t];
      const std::string sample = fmt::format("t{}.sample(s, {}", t, kind.point),
                        channel = kind.depth ? ")" : ").x";
      pair(sample + channel, sample + ending + channel);
      const std::string compare = fmt::format("t{}.sample_compare(s, {}, 10.5f", t, kind.point);
      if (kind.depth) pair(compare + ")", compare + ending + ")");
    }
  }
  for (std::size_t t = 0; t < kKinds.size(); ++t)
    parameters += fmt::format(", {} t{} [[texture({})]]", kKinds[t].type, t, t);
  TextureRun run = run_of("", parameters + body + "}\n");
  for (const Kind& kind : kKinds)
    run.texture(kind.shape, whole_numbers<float>(device::texture_bytes(kind.shape) / 4, 1, 20));
  run.buffer(std::vector<float>(calls, -1));
  EXPECT_THAT(run.run(simulator::Mode::fast, {1, 1, 1}).faults, testing::IsEmpty());
  const auto found = run.values<float>(0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(found[2 * i], found[2 * i + 1]) << pairs[i];
    EXPECT_GT(found[2 * i], 0) << pairs[i];
  }
}

// What is refused is refused at its line, in words that name it.
TEST_F(TextureOptions, ThatAreOthersAreNamed) {
  struct Wrong {
    const char *type, *call, *says;
  };
  const std::array<Wrong, 7> wrong = {{
      {"texture2d<float>", "sample(s, float2(1), gradientcube(float3(1), float3(1)))",
       "no matching member function for call to 'sample'"},
      {"texturecube<float>", "sample(s, float3(1), int3(1))",
       "no matching member function for call to 'sample'"},
      {"texture2d<float, access::read>", "sample(s, float2(1))", "this texture cannot be sampled"},
      {"texture2d<float, access::write>", "read(uint2(1))", "this texture can only be written to"},
      {"texture_buffer<float>", "sample(s, 1.0f)", "no member named 'sample' in 'texture_buffer<float>'"},
      {"texture2d<float>", "sample_compare(s, float2(1), 1.0f)",
       "no member named 'sample_compare' in 'texture2d<float>'"},
      {"texture2d<uchar, access::read>", "read(uint2(1))",
       "textures hold half, float, short, ushort, int or uint; others are not supported"},
  }};
  for (const Wrong& one : wrong) {
    TextureRun run =
        run_of("", fmt::format(", {} t [[texture(0)]]) {{\n\n  out[0] = t.{}.x;\n}}\n", one.type, one.call));
    try {
      run.run(simulator::Mode::fast, {1, 1, 1});
      FAIL() << one.call;
    } catch (const SourceError& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(testing::HasSubstr("options.metal:"), testing::HasSubstr(one.says)));
    }
  }
}

}  // namespace
}  // namespace assay::metal
