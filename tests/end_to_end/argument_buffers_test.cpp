// Kernels with argument buffers, as manifests state them. Varied: what the pointers lead to, with an
// operation and without; faults behind a member; what does not fit.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSet =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "struct Sizes {\n"
    "  uint rows, columns;\n"
    "};\n"
    "struct Set {\n"
    "  device const float* x [[id(0)]];\n"
    "  constant Sizes& sizes [[id(1)]];\n"
    "  device float* out [[id(2)]];\n"
    "  float factor [[id(3)]];\n"
    "};\n"
    "kernel void scale(constant Set& set [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {\n"
    "  const uint i = at.y * set.sizes.columns + at.x;\n"
    "  set.out[i] = set.factor * set.x[i];\n"
    "}\n";

constexpr const char* kBuffer =
    "{ buffer = [{ pointer = \"x\" }, { pointer = [\"M\", \"N\"] }, { pointer = \"out\" }, 0.5] }";

constexpr const char* kTensors =
    "dimensions = [{ name = \"M\", largest = 40 }, { name = \"N\", largest = 40 }]\ntensors = [\n"
    "  { name = \"x\", type = \"float\", shape = [\"M\", \"N\"] },\n"
    "  { name = \"out\", type = \"float\", shape = [\"M\", \"N\"], access = \"out\" },\n]\n";

std::string kernel_entry(const std::string& arguments, const std::string& computes) {
  return fmt::format(
      "[[kernel]]\nname = \"scale\"\nsource = \"k.metal\"\narguments = [\n  {},\n]\n"
      "threads_per_threadgroup = [8, 4]\ngrid = [\"N\", \"M\", 1]\ngrid_unit = \"threads\"\n{}",
      arguments, computes);
}

const std::string kOperation =
    std::string("[[operation]]\nname = \"halves\"\nreference = \"halves.reference.cpp\"\n") + kTensors;

class ArgumentBuffers : public testing::Test {
 protected:
  metal::ProcessResult verify(const std::string& manifest, const std::string& text,
                              std::vector<std::string> more = {}) {
    scratch_.write("k.metal", text);
    scratch_.write("m.toml", manifest);
    scratch_.write(
        "halves.reference.cpp",
        "void reference() {\n  for (Index i = 0; i < x.size(); ++i) out.flat(i) = x.flat(i) / 2;\n}\n");
    std::vector<std::string> arguments = {
        "verify", "--numerics", "strict", "--cases", "30", "--manifest", (scratch_ / "m.toml").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto result = assay(arguments);
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result;
  }
  std::string said_of(const std::string& buffer, const std::string& text = kSet) {
    EXPECT_EQ(verify(kernel_entry(buffer, kTensors), text, {"--mode", "fast"}).exit_code, 2) << words_;
    return words_;
  }

  Scratch scratch_;
  std::string words_;
};

TEST_F(ArgumentBuffers, ARightKernelPassesWithAnOperationAndWithout) {
  EXPECT_EQ(verify(kernel_entry(kBuffer, kTensors), kSet).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("no reference"));
  const std::string judged = kOperation + kernel_entry(kBuffer, "operation = \"halves\"\n");
  EXPECT_EQ(verify(judged, kSet).exit_code, 0) << words_;
  EXPECT_EQ(verify(judged, with(kSet, "set.factor * ", "")).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("scale: WRONG RESULT"));
}

TEST_F(ArgumentBuffers, FaultsNameTheMember) {
  const std::string entry = kernel_entry(kBuffer, kTensors);
  EXPECT_EQ(verify(entry, with(kSet, "set.x[i]", "set.x[i + 1]")).exit_code, 1);
  EXPECT_THAT(words_, AllOf(HasSubstr("OUT OF BOUNDS"), HasSubstr("is past the end of `set.x`")));
  EXPECT_EQ(verify(entry, with(kSet, "set.out[i] = ", "set.out[at.x] = ")).exit_code, 1);
  EXPECT_THAT(words_, AllOf(HasSubstr("RACE"), HasSubstr("`set.out` at byte")));
  EXPECT_EQ(verify(entry, with(kSet, "* set.x[i]", "* set.x[i] + set.out[i]")).exit_code, 1);
  EXPECT_THAT(words_, AllOf(HasSubstr("UNINITIALISED READ"), HasSubstr("`set.out` at byte 0")));
}

// Blocks in blocks, arrays of pointers, and a table of structs, each beside a plain argument.
TEST_F(ArgumentBuffers, LeadToOtherBuffersAndComeInArrays) {
  const std::string text = std::string(
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "struct Inner { device const float* from; uint count; };\n"
      "struct Block { constant Inner* inner; device float* to[2]; device float* unused; ushort last; };\n"
      "kernel void scale(constant Block* block [[buffer(0)]], device const Inner* table [[buffer(1)]],\n"
      "                  device const float* const device* rows [[buffer(2)]],\n"
      "                  uint2 at [[thread_position_in_grid]]) {\n"
      "  const uint i = at.y * block->inner->count + at.x;\n"
      "  block->to[block->last][i] = block->inner->from[i] + table[1].from[i] + rows[1][i] + "
      "table[0].count;\n"
      "}\n");
  const std::string arguments =
      "{ buffer = [{ pointer = { buffer = [{ pointer = \"x\" }, \"N\"] } },\n"
      "    { pointer = \"-\" }, { pointer = \"out\" }, { pointer = \"-\" }, \"=1:ushort\"] },\n"
      "  { buffer = [{ pointer = \"-\" }, 7, { pointer = \"x\" }, \"N\"] },\n"
      "  { buffer = [{ pointer = \"-\" }, { pointer = \"x\", at = 8 }] }";
  EXPECT_EQ(verify(kernel_entry(arguments, kTensors), text).exit_code, 0) << words_;
  const std::string entry = kernel_entry(arguments, kTensors);
  EXPECT_EQ(verify(entry, with(text, "table[1].from[i]", "table[1].from[i + 1]")).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("is past the end of `"));
  EXPECT_EQ(verify(entry, with(text, "table[1].from[i]", "table[2].from[i]")).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("is past the end of `table`"));
  EXPECT_EQ(verify(entry, with(text, "rows[1][i]", "rows[0][i]")).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("OUT OF BOUNDS")) << "a null pointer";

  const std::string inner = with(arguments, "{ pointer = \"x\" }, \"N\"", "\"N\", { pointer = \"x\" }");
  EXPECT_EQ(verify(kernel_entry(inner, kTensors), text, {"--mode", "fast"}).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("`block->inner` has no pointer at byte 8; it has block->inner->from at 0"));
}

TEST_F(ArgumentBuffers, WhatDoesNotFitIsAnErrorWithItsField) {
  EXPECT_THAT(
      said_of("\"out\""),
      HasSubstr("arguments[0]: kernel scale: `set` holds pointers (set.x at 0, set.sizes at 8, set.out "
                "at 16); write { buffer = [{ pointer = \"...\" }, ...] } with its members in order"));
  EXPECT_THAT(
      said_of("{ buffer = [{ pointer = \"x\" }, { pointer = \"out\" }, { pointer = \"out\", at = 24 }] }"),
      HasSubstr("arguments[0].buffer[2]: kernel scale: `set` has no pointer at byte 24; it has set.x"));
  EXPECT_THAT(
      said_of("{ buffer = [{ pointer = \"x\" }, { pointer = \"-\" }, \"N\", { pointer = \"out\" }, 1] }"),
      HasSubstr("`set` has no pointer at byte 24"));
  EXPECT_THAT(
      said_of("{ buffer = [{ pointer = \"out\" }, { pointer = [\"M\", \"N\"] }] }"),
      HasSubstr("arguments[0]: kernel scale: the pointer `set.out` at byte 16 has nothing bound to it"));
  EXPECT_THAT(
      said_of("{ buffer = [{ pointer = \"out\" }, { pointer = [\"M\", \"N\"] }, { pointer = \"x\" }, 0.5] }"),
      HasSubstr(
          "arguments[0].buffer[0].pointer: kernel scale: out is an output, and `set.x` can only be read"));
  EXPECT_THAT(said_of("{ buffer = [{ pointer = \"x\" }, { pointer = \"y\" }, { pointer = \"out\" }] }"),
              HasSubstr("arguments[0].buffer[1].pointer: kernel scale: \"y\" is no tensor and no scalar"));
  EXPECT_THAT(said_of("{ buffer = [{ record = [{ pointer = \"x\" }, \"x\"] }, { pointer = \"out\" }] }"),
              HasSubstr("arguments[0].buffer[0].record[0].pointer: is inside a record"));
  EXPECT_THAT(
      said_of("{ buffer = [{ pointer = \"x\", at = 4 }, { pointer = \"out\" }] }"),
      HasSubstr("m.toml:5: arguments[0].buffer[0]: kernel scale: at = 4: its type lies at multiples of 8"));
  EXPECT_THAT(said_of("{ buffer = [{ pointer = \"x\", size = 4 }] }"), HasSubstr("size"));
  // Only where it is read through: a struct that is copied may hold one.
  const std::string image = with(with(kSet, "float factor [[id(3)]]", "texture2d<float> image [[id(3)]]"),
                                 "set.factor", "set.image.read(at).x");
  EXPECT_EQ(verify(kernel_entry(kBuffer, kTensors), image, {"--mode", "fast"}).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("k.metal:10: `image`: a `texture2d` in a struct in memory"));
}

}  // namespace
}  // namespace assay::end_to_end
