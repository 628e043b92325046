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

}  // namespace
}  // namespace assay::simulator
