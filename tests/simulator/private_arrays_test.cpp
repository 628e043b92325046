// Arrays of a thread's own in checked mode: an element that is there is never suspected, and one that is not
// is a fault at the line that takes it, however it is reached.
#include <gmock/gmock.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;

/// A way to an element. `%N` is the size, `%I` the index. Line 2 takes the element.
struct Way {
  const char* name;
  std::string body;
  std::string ahead = {};  ///< of the kernel
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

std::string filled(std::string text, int size, const std::string& index) {
  for (auto at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    if (at + 1 < text.size() && (text[at + 1] == 'N' || text[at + 1] == 'I'))
      text.replace(at, 2, text[at + 1] == 'N' ? std::to_string(size) : index);
  }
  return text;
}

const std::vector<Way> kWays = {
    {"Numbers", "uint own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nown[%I] = 7;\nuint end = own[0];"},
    {"NumberByReference",
     "uint own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nbump(own[%I]);\nuint end = own[0];",
     "inline void bump(thread uint& one) { one += 1; }"},
    {"Vectors",
     "float4 own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nown[%I] = 7;\nuint end = own[0].x;"},
    {"VectorsChanged",
     "half2 own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nown[%I] += half2(7);\nuint end = own[0].x;"},
    {"VectorsRead",
     "float2 own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nfloat2 one = own[%I];\nuint end = one.x;"},
    {"Matrices",
     "simdgroup_float8x8 own[%N];\nown[%I] = make_filled_simdgroup_matrix<float, 8, 8>(1);\nuint end = 1;"},
    {"MatricesLoaded",
     "simdgroup_float8x8 own[%N];\nsimdgroup_load(own[%I], (device float*)in, 8);\nuint end = 1;"},
    {"Structs",
     "Pair own[%N]; for (uint k = 0; k < %N; ++k) own[k] = {k, k};\nown[%I] = {7, 7};\nuint end = own[0].a;",
     "struct Pair { uint a, b; };"},
    {"MethodOfAStruct",
     "Pair own[%N]; for (uint k = 0; k < %N; ++k) own[k] = {k, k};\nown[%I].swap();\nuint end = own[0].a;",
     "struct Pair { uint a, b; void swap() { uint c = a; a = b; b = c; } };"},
    {"InnerOfTwoDimensions",
     "float4 own[3][%N]; for (uint k = 0; k < 3 * %N; ++k) own[k / %N][k % %N] = k;\nown[1][%I] = 7;\n"
     "uint end = own[0][0].x;"},
    {"OuterOfTwoDimensions",
     "float4 own[%N][3]; for (uint k = 0; k < 3 * %N; ++k) own[k / 3][k % 3] = k;\nown[%I][1] = 7;\n"
     "uint end = own[0][0].x;"},
    {"MemberOfAnArgument",
     "Sums own; for (uint k = 0; k < 2 * %N; ++k) own.at[k / %N][k % %N] = k;\nset(own, %I);\n"
     "uint end = own.at[0][0].x;",
     "struct Sums { float4 at[2][%N]; };\n#line 2\n"
     "inline void set(thread Sums& sums, int k) { sums.at[0][k] = 7; }"},
    {"ArrayOfTheLibrary",
     "array<uint, %N> own; for (uint k = 0; k < %N; ++k) own[k] = k;\nown[%I] = 7;\nuint end = own[0];"},
    {"ThroughAHelper",
     "uint own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nset(own, %I);\nuint end = own[0];",
     "#line 2\ninline void set(thread uint (&own)[%N], int k) { own[k] = 7; }"},
    {"VectorsThroughTwoHelpers",
     "float4 own[%N]; for (uint k = 0; k < %N; ++k) own[k] = k;\nuint end = get(own, %I);",
     "#line 2\ninline uint one(thread const float4 (&own)[%N], int k) { return float4(own[k]).y; }\n"
     "#line 2\ninline uint get(thread const float4 (&own)[%N], int k) { return one(own, k); }"},
    {"Vector", "float%N own = 0;\nown[%I] = 7;\nuint end = own[0];"},
    {"PackedVector", "packed_half%N own; own[0] = 0;\nown[%I] = 7;\nuint end = own[0];"},
    {"ColumnsOfAMatrix", "float%Nx%N own(0);\nown[%I] = float%N(7);\nuint end = own[0][0];"},
};

class PrivateArrays : public testing::TestWithParam<Way> {};

// Threadgroup g takes index g - 2, and stores a word unless that has ended it.
TEST_P(PrivateArrays, HaveTheElementsFromTheFirstToTheLastAndNoOthers) {
  for (const int size : {2, 3, 4}) {
    const auto body =
        filled(GetParam().body, size, "(int(group) - 2)") + "\nif (i == 0) out[group] = end & 0xFF;";
    const Shape shape{.threads = {32, 1, 1}, .threadgroups = {static_cast<std::uint32_t>(size) + 4, 1, 1}};
    const auto ran = run_body(Mode::checked, body, shape, "", filled(GetParam().ahead, size, ""));
    for (int index = -2; index < size + 2; ++index) {
      const bool stored = ran.out[static_cast<std::size_t>(index) + 2] <= 0xFF;
      EXPECT_EQ(stored, index >= 0 && index < size) << "index " << index << " of " << size << "\n"
                                                    << ran.text();
    }
    for (const auto& fault : ran.report.faults) {
      EXPECT_EQ(fault.kind, FaultKind::out_of_bounds) << ran.text();
      EXPECT_EQ(fault.place.line, 2u) << ran.text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PrivateArrays, testing::ValuesIn(kWays),
                         [](const auto& info) { return info.param.name; });

// What looks like an index and is none, and the address behind the last element, which nobody follows.
TEST(PrivateArrays, DeclarationsAndEndsAreNotSuspected) {
  const auto ran = run_body(Mode::checked, R"(
half const few[2] = {1, 2}, more[3] = {3, 4, 5};
float4 own[2][2], other[2];
thread float4 *at[2], *behind[2] = {&own[1][2], &other[2]};
thread float4 (&row)[2] = own[1];
constexpr uint size[] = {2, 3};
float4 sized[size[1]];
for (uint k = 0; k < 2; ++k) at[k] = own[k], row[k] = other[k] = sized[k + 1] = float4(few[k] * more[k]);
uint count = 0;
for (thread float4* p = other; p != &other[2]; ++p) ++count;
for (thread float4* p = own[0]; p != &(own[1][2]); ++p) ++count;
switch (count) { case size[0] * size[1]: out[i] = uint(row[1].x * other[i & 1][i & 3]) + (behind[1] == other + 2); }
)");
  EXPECT_TRUE(ran.report.faults.empty()) << ran.text();
  EXPECT_EQ(ran.out[0], 25u);  // 8 * 3 + 1
  EXPECT_EQ(ran.out[1], 65u);
}

}  // namespace
}  // namespace assay::simulator
