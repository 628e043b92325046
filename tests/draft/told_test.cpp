// What options say of a kernel: each is taken as it is meant, or refused with its own name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "harness/draft/draft.hpp"
#include "harness/draft/explain.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::draft {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(DraftTold, ABufferSaysWhatItSays) {
  Told told;
  tell_buffer(told, "y=half[M,ceil(N/32),16]:out");
  tell_buffer(told, "ids=uint[T]:below=E");
  tell_buffer(told, "x=:inout:positive");
  tell_buffer(told, "scale=0.5..2");
  tell_buffer(told, "bits=uint:1|2|4");
  EXPECT_EQ(told.buffers["y"].shape, (std::vector<std::string>{"M", "ceil(N/32)", "16"}));
  EXPECT_EQ(told.buffers["y"].access, "out");
  EXPECT_EQ(told.buffers["ids"].values, "{ below = \"E\" }");
  EXPECT_EQ(told.buffers["x"].values, "\"positive\"");
  EXPECT_EQ(told.buffers["x"].type, std::nullopt);
  EXPECT_EQ(told.buffers["scale"].values, "{ from = 0.5, to = 2 }");
  EXPECT_EQ(told.buffers["bits"].values, "{ one_of = [1, 2, 4] }");
}

TEST(DraftTold, ATextureSaysWhatItSays) {
  Told told;
  tell_texture(told, "image=rgba8unorm[H,2*W]:in");
  tell_texture(told, "index=r32uint:below=E");
  EXPECT_EQ(told.textures["image"].type, "rgba8unorm");
  EXPECT_EQ(told.textures["image"].shape, (std::vector<std::string>{"H", "2*W"}));
  EXPECT_EQ(told.textures["image"].access, "in");
  EXPECT_EQ(told.textures["index"].values, "{ below = \"E\" }");
}

struct Wrong {
  const char* name;
  void (*tell)(Told&, const std::string&);
  const char* option;
  const char* text;
  const char* says;
};

class DraftToldWrong : public testing::TestWithParam<Wrong> {};

TEST_P(DraftToldWrong, IsRefusedWithItsOption) {
  const auto& [name, tell, option, text, says] = GetParam();
  Told told;
  try {
    tell(told, text);
    FAIL() << "taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), StartsWith(fmt::format("{} {}: ", option, text)));
    EXPECT_THAT(error.what(), HasSubstr(says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, DraftToldWrong,
    testing::Values(
        Wrong{"NoName", tell_buffer, "--buffer", "half[M]", "write NAME=TYPE"},
        Wrong{"NoType", tell_buffer, "--buffer", "x=double[M]", "`double` is not one of half"},
        Wrong{"Open", tell_buffer, "--buffer", "x=half[M", "not closed"},
        Wrong{"Size", tell_buffer, "--buffer", "x=half[M+]", "M+"},
        Wrong{"Word", tell_buffer, "--buffer", "x=half[M]:outt", "`outt` is neither"},
        Wrong{"TwoAccesses", tell_buffer, "--buffer", "x=half[M]:in:out", "`out` is said"},
        Wrong{"OutWithValues", tell_buffer, "--buffer", "x=half[M]:out:ones", "an output has no values"},
        Wrong{"FloatBelow", tell_buffer, "--buffer", "x=half[M]:below=M", "whole numbers"},
        Wrong{"NoFormat", tell_texture, "--texture", "x=rgba32[H,W]", "`rgba32` is not one of the formats"},
        Wrong{"TextureBelow", tell_texture, "--texture", "x=r32float:below=M", "whole numbers"},
        Wrong{"NoSize", tell_dimension, "--dim", "N=0", "`0` is not a whole number from 1"},
        Wrong{"Empty", tell_dimension, "--dim", "N=9:4", "allows no size; change the numbers"},
        Wrong{"Many", tell_threads, "--threads", "64,64", "makes 4096 threads"},
        Wrong{"Sides", tell_grid, "--grid", "1,2,3,4", "one to three"},
        Wrong{"Expression", tell_grid, "--grid", "M*", "M*"},
        Wrong{"Index", tell_constant, "--constant", "x=1", "`x` is not a whole number"},
        Wrong{"Macro", tell_define, "--define", "a-b=1", "`a-b` is not a name"}),
    [](const auto& one) { return one.param.name; });

// Whatever a draft holds, the manifest's reader takes it, and reads it as it was meant.
RC_GTEST_PROP(DraftText, IsTakenByTheManifestsReader, ()) {
  Draft draft;
  draft.name = "k";
  draft.source = {
      "folder/k \"x\".metal", *rc::gen::element<std::string>("k", "ns::k", "gemm<half>"), {}, {}, {}};
  draft.source.text_prefix = {"a.metal"};
  if (*rc::gen::arbitrary<bool>())
    draft.source.defines["WIDE"] = *rc::gen::element<std::string>("1", "half", "\"s\"");
  if (*rc::gen::arbitrary<bool>()) draft.source.function_constants[*rc::gen::inRange(0U, 9U)] = "true";
  draft.threads = {*rc::gen::inRange(1U, 64U), *rc::gen::inRange(1U, 4U), 1};
  draft.grid = {*rc::gen::element<std::string>("M", "ceil(M / 16)", "3"), "1", "1"};
  draft.in_threads = *rc::gen::arbitrary<bool>();
  draft.questions = {"what is \"this\"?"};
  DraftDimension dimension{"M", {}, *rc::gen::element<std::int64_t>(0, 64)};
  if (*rc::gen::arbitrary<bool>()) dimension.sizes.multiple = 32;
  if (*rc::gen::arbitrary<bool>()) dimension.sizes.largest = 96;
  draft.dimensions = {dimension, {"N", {{}, {}, {}, {32, 64}}, 0}};
  const auto access = *rc::gen::element<std::string>("out", "inout");
  draft.buffers = {{"x", "half", {"M", "N"}, "in", "\"positive\"", false, ""},
                   {"y", "float", {"ceil(M / 4)", "7"}, access, "", true, "its shape"}};
  draft.arguments = {"\"x\"", "\"y\"", "\"M:ushort\"", "[\"M\", \"=1e-5:float\"]", "\"-\""};
  const std::string text = manifest_text(draft, "folder");
  const auto entries = parse_manifest(text, "folder/m.toml");
  RC_ASSERT(entries.size() == 1U);
  const auto& entry = entries.front();
  RC_ASSERT(entry.function == draft.source.function);
  RC_ASSERT(entry.source == std::filesystem::path("folder/k \"x\".metal"));
  RC_ASSERT(entry.defines == draft.source.defines);
  RC_ASSERT(entry.function_constants == draft.source.function_constants);
  RC_ASSERT(entry.threads_per_threadgroup == draft.threads);
  RC_ASSERT(entry.grid.in_threads == draft.in_threads);
  RC_ASSERT(entry.stated->tensors.size() == 2U);
  RC_ASSERT(entry.stated->tensors[1].shape.size() == 2U);
  RC_ASSERT(entry.text_prefix.size() == 1U);
  RC_ASSERT(!dimension.sizes.largest || entry.unmet_requirement({{"M", 97}, {"N", 32}}).has_value());
  RC_ASSERT(!entry.unmet_requirement({{"M", 96}, {"N", 32}}).has_value());
}

TEST(DraftExplain, NamesTheBufferTheElementAndTheOption) {
  Draft draft;
  draft.buffers = {{"x", "half", {"M", "N"}, "in", "", false, ""},
                   {"y", "float", {"M"}, "out", "", true, ""}};
  const auto lines = explain(draft, Verdict::out_of_bounds,
                             "k.metal:3: a read at byte 128 is past the end of `x`,\n    which has 128 "
                             "bytes; a write at byte 8 is past the end of `y`, which has 4 bytes");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[0],
      "x was guessed to be half [M, N], which has 64 elements in this case, but the kernel reads element 64; "
      "if it may, say the shape with --buffer 'x=half[M*N+1]' (or x=half[SIZES])");
  EXPECT_EQ(
      lines[1],
      "y was said to be float [M], which has 1 element in this case, but the kernel writes element 2; if it "
      "may, say the shape with --buffer 'y=float[M+2]' (or y=float[SIZES])");
  const std::string race = "two simdgroups write `x` at byte 4";
  EXPECT_EQ(explain(draft, Verdict::race, race).size(), 1U) << "the number of threads is a guess";
  draft.threads_known = true;
  EXPECT_TRUE(explain(draft, Verdict::race, race).empty());
}

}  // namespace
}  // namespace assay::draft
