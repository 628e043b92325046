// The trace of a launch: one line a tensor that says what document 002 asks for when a result is NaN
// (section 5.1 in docs/documents.md).
#include "harness/verify/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

Tensor floats(std::string name, std::vector<std::size_t> shape, const std::vector<float>& values) {
  Tensor tensor = make_tensor(std::move(name), DType::f32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<float>().begin());
  return tensor;
}

TEST(Trace, ASignVectorShowsItsDistinctValues) {
  EXPECT_EQ(describe_tensor(floats("su", {4}, {1, -1, 0.5F, 1})),
            "su: f32 [4], min=-1, max=1, nan=0, inf=0, distinct={-1, 0.5, 1}, first bytes 00 00 80 "
            "3f 00 00 80 bf 00 00 00 3f");
}

TEST(Trace, NanAndInfinityAreSaidAndDoNotHideTheRange) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(describe_tensor(floats("scales", {1, 2}, {std::nanf(""), 2})),
            "scales: f32 [1, 2], min=2, max=2, nan=1, inf=0, distinct={2}, first bytes 00 00 c0 7f "
            "00 00 00 40");
  EXPECT_EQ(describe_tensor(floats("scales", {2}, {-infinity, 2})),
            "scales: f32 [2], min=-inf, max=2, nan=0, inf=1, distinct={-inf, 2}, first bytes 00 00 "
            "80 ff 00 00 00 40");
  EXPECT_EQ(describe_tensor(floats("C", {1}, {std::nanf("")})),
            "C: f32 [1], nan=1, inf=0, first bytes 00 00 c0 7f");
}

TEST(Trace, ManyDistinctValuesAreCounted) {
  Tensor tensor = make_tensor("packed_indices", DType::u8, {17});
  for (std::size_t i = 0; i < 17; ++i) tensor.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(describe_tensor(tensor),
            "packed_indices: u8 [17], min=0, max=16, nan=0, inf=0, distinct=17, first bytes 00 01 02 03 04 "
            "05 06 07 08 09 0a 0b");
}

TEST(Trace, ALaunchIsItsTensorsInTheOrderOfItsArgumentsAndThenItsScalars) {
  const KernelEntry entry = parse_manifest(R"toml([[kernel]]
name = "k"
source = "k.metal"
operation = "copy"
arguments = ["W", "-", ["K", "=N*2"], "scales", "N:ushort"]
threads_per_threadgroup = 1
grid = [1, 1, 1]
)toml",
                                           "kernels.toml")
                                .at(0);
  const Problem problem{
      "copy", {{"K", 3}, {"N", 2}}, {floats("scales", {2}, {1, 2})}, {{"W", DType::f16, {1, 2}}}};
  const device::LaunchSnapshot snapshot{
      device::LaunchSnapshot::Moment::after,
      7,
      "k",
      {std::vector<std::byte>(4, std::byte{0}), {}, {}, problem.inputs[0].data, {}}};
  EXPECT_EQ(trace_text(entry, problem, snapshot),
            "=== k after launch 7 ===\n"
            "W: f16 [1, 2], min=0, max=0, nan=0, inf=0, distinct={0}, first bytes 00 00 00 00\n"
            "scales: f32 [2], min=1, max=2, nan=0, inf=0, distinct={1, 2}, first bytes 00 00 80 3f "
            "00 00 00 40\n"
            "K=3, N*2=4, N=2\n");
}

}  // namespace
}  // namespace assay
