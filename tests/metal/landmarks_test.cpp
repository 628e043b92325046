// Whole numbers of a kernel's text.
#include "harness/metal/text/landmarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/metal/text/outline_query.hpp"

namespace assay::metal {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::IsSupersetOf;
using ::testing::Le;
using ::testing::Not;

// Of a text with a function `f`, which the kernel calls.
std::vector<std::int64_t> landmarks_in(const std::string& text) {
  const std::string whole = text + " kernel void k(device uint* p [[buffer(13)]]) { p[0] = f(p[1]); }";
  return landmarks_of(tokenize(whole, "a.metal"), outline_of(whole, {"a.metal", "k", {}, {}, {}}));
}

TEST(Landmarks, AreLiteralsAndNamedConstants) {
  EXPECT_THAT(
      landmarks_in("constant constexpr uint kRows = 0x30; uint f(uint n) { return n > 77u ? kRows : 5; }"),
      IsSupersetOf({5, 48, 77}));
}

TEST(Landmarks, AreArgumentsOfTemplates) {
  EXPECT_THAT(
      landmarks_in("template <uint kRows> uint g(uint n) { return n % kRows; } uint f(uint n) { return "
                   "g<1234>(n); }"),
      Contains(1234));
}

TEST(Landmarks, AreSumsAndProductsOfTwoInOneExpression) {
  const auto found = landmarks_in("uint f(uint n) { uint a = n * 12 + 7; uint b = n + 1000; return a + b; }");
  EXPECT_THAT(found, IsSupersetOf({7, 12, 19, 84, 1000}));
  EXPECT_THAT(found, Not(Contains(1012)));
}

TEST(Landmarks, AreNoPlacesOfArguments) {
  EXPECT_THAT(landmarks_in("uint f(uint n) { return n + 29; }"), AllOf(Contains(29), Not(Contains(13))));
}

// A table of numbers would leave room for nothing else.
TEST(Landmarks, AreFewAndNotLarge) {
  std::string text = "constant uint kTable[] = {";
  for (int i = 2; i < 400; ++i) text += std::to_string(i * 331) + ", ";
  text += "}; uint f(uint n) { return 1000000 + kTable[3]; }";
  const auto found = landmarks_in(text);
  EXPECT_LE(found.size(), 64U);
  EXPECT_THAT(found, Each(Le(1 << 16)));
}

}  // namespace
}  // namespace assay::metal
