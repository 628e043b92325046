// `assay check`: argument buffers, blocks in blocks, and structs that a manifest has no words for.
#include "tests/end_to_end/check.hpp"

namespace assay::end_to_end {
namespace {

TEST_F(Check, AReferenceToThreadgroupMemoryIsOneElement) {
  EXPECT_EQ(
      check(
          "struct Stage { float rows[8][32]; };\n"
          "kernel void k(threadgroup Stage& stage [[threadgroup(0)]], device float* y,\n"
          "              uint i [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {\n"
          "  if (i < 32) { stage.rows[1][i] = float(i); y[g * 32 + i] = stage.rows[1][i]; }\n}\n")
          .exit_code,
      0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("stage has 1024 bytes, one element; change it with"));
}

constexpr const char* kSetOfRows =
    "struct Sizes { uint rows, columns; };\n"
    "struct Set {\n"
    "  device const half* x [[id(0)]];\n"
    "  constant Sizes* sizes [[id(1)]];\n"
    "  device float* sums [[id(2)]];\n"
    "  float factor [[id(3)]];\n"
    "};\n"
    "kernel void k(constant Set& set [[buffer(0)]], uint row [[thread_position_in_grid]]) {\n"
    "  if (row >= set.sizes->rows) return;\n"
    "  float sum = 0;\n"
    "  for (uint i = 0; i < set.sizes->columns; ++i) sum += set.x[row * set.sizes->columns + i];\n"
    "  set.sums[row] = set.factor * sum;\n"
    "}\n";

TEST_F(Check, MembersOfArgumentBuffersAreBuffersAndDimensions) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(check(kSetOfRows, {"--manifest-out", manifest.string()}).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("factor is 1.0; change it with --scalar factor=VALUE"));
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr("arguments = [{ buffer = [{ pointer = \"x\" }, { pointer = [\"rows\", "
                              "\"columns\"] }, { pointer = \"sums\" }, \"=1.0:float\"] }]"));
  EXPECT_THAT(text, HasSubstr("{ name = \"x\", type = \"half\", shape = [\"columns\", \"rows\"] }"));
  EXPECT_THAT(text, HasSubstr("{ name = \"sums\", type = \"float\", shape = [\"rows\"], access = \"out\" }"));

  EXPECT_EQ(check(with(kSetOfRows, "columns + i]", "columns + i + 1]")).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("is past the end of `set.x`"));
  EXPECT_THAT(words_, HasSubstr("x was guessed to be half [columns, rows], which has"));
  EXPECT_EQ(check(kSetOfRows, {"--buffer", "sums=float[columns]", "--dim", "rows=1"}).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("sums was said to be float [columns], and the kernel must write all of it"));
}

// Names that two structs share, blocks in blocks, members that a manifest has no words for.
TEST_F(Check, MembersOfBlocksInBlocksHaveNamesOfTheirOwn) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(
      check("template <class T> struct Buffer { device T* data; uint count; };\n"
            "struct Inner { Buffer<const float> in; float4x4 world; half scale; };\n"
            "struct Block { constant Inner* inner; Buffer<float> out[2]; float3 bias; uint last; };\n"
            "kernel void k(constant Block* block, device float* data, uint i [[thread_position_in_grid]]) {\n"
            "  if (i >= block->out[0].count) return;\n"
            "  block->out[0].data[i] = block->inner->in.data[i] + block->bias.z;\n"
            "  block->out[1].data[i] = block->inner->world[3][3];\n"
            "  data[i] = float(block->inner->scale);\n"
            "}\n",
            {"--manifest-out", manifest.string()})
          .exit_code,
      0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("block->inner->world is zeros; write a manifest for other values"));
  EXPECT_THAT(words_, HasSubstr("block leads to one struct; write a manifest where there are more"));
  EXPECT_THAT(read(manifest), HasSubstr("{ pointer = \"block_out_1_data\" }"));
}

// However long a text makes them.
TEST_F(Check, StructsOfVeryManyMembersAreRefused) {
  EXPECT_EQ(
      check(
          "struct A { device float* p[4096]; };\nstruct B { A a[4096]; };\nstruct C { B b[64]; };\n"
          "kernel void k(constant C* c, uint i [[thread_position_in_grid]]) { c->b[0].a[0].p[0][i] = 1; }\n")
          .exit_code,
      2);
  EXPECT_THAT(words_, HasSubstr("is one of more than 512 members that a launch has to fill in"));
  EXPECT_EQ(check("struct A { device float* p; float more[100000000]; };\n"
                  "kernel void k(constant A* a, uint i [[thread_position_in_grid]]) { a->p[i] = 1; }\n")
                .exit_code,
            2);
  EXPECT_THAT(words_,
              HasSubstr("a struct with pointers has 400000000 bytes for which a draft has no values"));
}

TEST_F(Check, StructsOfPointersThatAreNoPlainDataAreRefusedAtTheKernelsLine) {
  EXPECT_EQ(
      check("struct Rows { device float* x; uint n : 3; };\n"
            "kernel void k(constant Rows& rows, uint i [[thread_position_in_grid]]) { rows.x[i] = 1; }\n")
          .exit_code,
      2);
  EXPECT_THAT(words_,
              HasSubstr("k.metal:4: `rows` is a struct with pointers whose members are not plain data"));
}

}  // namespace
}  // namespace assay::end_to_end
