// Indices of arrays, which are not those of a buffer. Varied: what is indexed, and where it ends.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAhead =
    "struct Tail { uint count; uint data[1]; };\nstruct Whole { uint data[1]; };\nstruct Two { uint data[2]; "
    "};\n";

// In checked mode, by one thread of a buffer of 8 words.
Ran ran(const std::string& body) {
  BodyKernel kernel(Mode::checked, body, {.threads = {1, 1, 1}, .words = 8}, "", kAhead);
  return kernel.run();
}

// As translated shaders declare a buffer that goes on.
TEST(ArrayBounds, AMemberOfOneElementGoesOnWithItsBuffer) {
  EXPECT_THAT(ran("device Whole& w = *(device Whole*)out; w.data[7] = 1;").kinds(), IsEmpty());
  EXPECT_THAT(ran("device Tail* w = (device Tail*)out; w->data[6] = 1;").kinds(), IsEmpty());
  EXPECT_THAT(ran("device Tail* w = (device Tail*)out; w->data[7] = 1;").kinds(),
              ElementsAre(device::FaultKind::out_of_bounds));
}

TEST(ArrayBounds, OtherArraysEnd) {
  const auto two = ran("device Two& w = *(device Two*)out; w.data[in[0] + 2] = 1;");
  EXPECT_THAT(two.kinds(), ElementsAre(device::FaultKind::out_of_bounds));
  EXPECT_THAT(two.text(), HasSubstr("index 2 is outside an array of 2 elements"));
  const auto own = ran("uint one[1] = {4}; out[0] = one[in[0] + 1];");
  EXPECT_THAT(own.text(), HasSubstr("index 1 is outside an array of 1 element"));
  const auto shared = ran("threadgroup uint one[1]; one[in[0] + 1] = 4;");
  EXPECT_THAT(shared.text(), HasSubstr("index 1 is outside an array of 1 element"));
}

// clang lets the one past the end pass where a reference is bound to it, as operators of classes have theirs.
TEST(ArrayBounds, ElementsThatAreHandedOverEndToo) {
  for (const std::string body :
       {"float2 own[3]; own[in[0] + 3] = 1; out[0] = uint(own[in[0]].x);",
        "float2 own[3]; own[3] = 1; out[0] = uint(own[in[0]].x);",
        "float2x2 own[3]; for (uint i = 0; i < 4; ++i) own[i] = float2x2(1); out[0] = uint(own[in[0]][0].x);",
        "threadgroup half4 own[3]; own[in[0] + 3] += 1; out[0] = uint(own[in[0]].x);",
        "struct { uint n; float3 all[3]; } own; own.all[in[0] + 3] = float3(1); out[0] = "
        "uint(own.all[in[0]].x);",
        "float2 own[5][3]; own[4][in[0] + 3] = 1; out[0] = uint(own[in[0]][0].x);",
        "float2 own[3][5]; own[in[0] + 3][4] = 1; out[0] = uint(own[in[0]][0].x);",
        "float2 own[5][3]; own[3][3] = 1; out[0] = uint(own[in[0]][0].x);"}) {
    const auto found = ran(body);
    EXPECT_THAT(found.kinds(), ElementsAre(device::FaultKind::out_of_bounds)) << body;
    EXPECT_THAT(found.text(), HasSubstr("index 3 is outside an array of 3 elements")) << body;
  }
  EXPECT_THAT(ran("uint own[3] = {}; out[0] = own[int(in[0]) - 1];").text(),
              HasSubstr("index -1 is outside an array of 3 elements"));
  EXPECT_THAT(ran("uint own[3] = {}; out[0] = own[-1];").text(),
              HasSubstr("index -1 is outside an array of 3 elements"));
}

TEST(ArrayBounds, AnAddressMayBeTheOneBehindTheLastElement) {
  for (const std::string body :
       {"float2 own[3]; thread float2* end = &own[in[0] + 3]; for (thread float2* p = own; p != end; ++p) *p "
        "= 1;"
        " out[0] = uint(own[2].x);",
        "float2 own[3][3]; own[2][2] = 1; thread float2* end = &(own[2][3]); --end; out[0] = uint(end->x);",
        "uint own[3] = {}; thread uint* end = &own[3]; out[0] = end[-1];"})
    EXPECT_THAT(ran(body).kinds(), IsEmpty()) << body;
}

}  // namespace
}  // namespace assay::simulator
