// Sparse buffers in checked mode: what the checker knows of bytes that no launch has touched, far into a
// buffer of gigabytes of which a few pages exist.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>

#include "harness/device/grouped.hpp"
#include "harness/simulator/address_space.hpp"
#include "harness/simulator/simulated_gpu.hpp"

namespace assay::simulator {
namespace {

constexpr std::size_t kPast4GiB = kGiB + 123;  // 4 GiB and some

class Sparse : public testing::TestWithParam<const char*> {
 protected:
  // One thread: *out = in[at], and out[1 + at] = 7. Where the parameter says so, single bytes are touched
  // too, so that the checker keeps a record for each.
  void SetUp() override {
    std::ofstream(path_)
        << "#include <metal_stdlib>\nusing namespace metal;\n"
        << "kernel void read_far(device const " << GetParam()
        << "* in [[buffer(0)]], device uint* out [[buffer(1)]], constant ulong& at [[buffer(2)]]) {\n"
        << "  out[0] = in[at];\n}\n"
        << "kernel void write_far(device " << GetParam()
        << "* out [[buffer(0)]], device uint* other [[buffer(1)]], constant ulong& at [[buffer(2)]]) {\n"
        << "  out[at] = 7;\n  other[0] = 1;\n}\n"
        << "kernel void add_far(device " << GetParam()
        << "* out [[buffer(0)]], device uint* other [[buffer(1)]], constant ulong& at [[buffer(2)]]) {\n"
        << "  const int beyond = int(at) + 0x7FFFFFFF;\n  out[at] += beyond == 5 ? 6 : 5;\n  other[0] = "
           "1;\n}\n";
    read_ = gpu_.load({path_, "read_far", {}, {}, {}});
    write_ = gpu_.load({path_, "write_far", {}, {}, {}});
    far_ = gpu_.allocate_sparse(bytes_);
    near_ = gpu_.allocate(4);
  }
  void TearDown() override {
    gpu_.release(far_);
    gpu_.release(near_);
    std::filesystem::remove(path_);
  }

  device::LaunchReport run(device::KernelId kernel, std::uint64_t at) {
    device::InlineBytes index{std::vector<std::byte>(sizeof at)};
    std::memcpy(index.bytes.data(), &at, sizeof at);
    return gpu_.dispatch({kernel,
                          {device::BufferSlice{far_, 0, bytes_}, device::BufferSlice{near_, 0, 4}, index},
                          {},
                          {1, 1, 1},
                          false,
                          {1, 1, 1}});
  }

  std::uint64_t elements() const { return bytes_ / (std::string(GetParam()) == "uint" ? 4 : 1); }

  static std::string first_message(const device::LaunchReport& report) {
    return report.faults.empty() ? "" : report.faults.front().message;
  }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("assay-sparse-" + std::to_string(getpid()) + ".metal");
  std::size_t bytes_ = 4 * kPast4GiB;
  SimulatedGpu gpu_{{.mode = Mode::checked, .limits = {}}};
  device::KernelId read_{}, write_{};
  device::BufferId far_{}, near_{};
};

TEST_P(Sparse, WhatNobodyHasWrittenIsNotRead) {
  const auto report = run(read_, elements() - 1);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults.front().kind, device::FaultKind::uninitialised_read);
  EXPECT_NE(first_message(report).find(device::grouped(bytes_ - bytes_ / elements())), std::string::npos)
      << first_message(report);
}

// A sum overflows, and nothing comes of it: the run that tries that leaves no trace.
TEST_P(Sparse, ALaunchThatIsTriedAgainHappensOnce) {
  const auto kernel = gpu_.load({path_, "add_far", {}, {}, {}});
  const std::size_t size = bytes_ / elements();
  std::uint32_t value = 3;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1)).first(size);
  gpu_.upload(far_, bytes_ - size, bytes);
  for (const std::uint32_t sum : {8u, 13u}) {
    const auto report = run(kernel, elements() - 1);
    EXPECT_TRUE(report.clean()) << first_message(report);
    EXPECT_TRUE(report.undefined.empty());
    gpu_.download(far_, bytes_ - size, bytes);
    EXPECT_EQ(value, sum);
  }
}

TEST_P(Sparse, TheEndIsWhereTheBufferEnds) {
  for (const auto kernel : {read_, write_}) {
    const auto report = run(kernel, elements());
    ASSERT_FALSE(report.clean());
    EXPECT_EQ(report.faults.front().kind, device::FaultKind::out_of_bounds) << first_message(report);
  }
}

TEST_P(Sparse, WhatTheHostWroteIsKnownPieceByPiece) {
  const std::vector<std::byte> bytes(64, std::byte{3});
  gpu_.upload(far_, 3 * kGiB, bytes);
  const std::uint64_t step = bytes_ / elements(), first = 3 * kGiB / step;
  EXPECT_TRUE(run(read_, first).clean());
  EXPECT_TRUE(run(read_, first + 64 / step - 1).clean());
  EXPECT_FALSE(run(read_, first - 1).clean());
  EXPECT_FALSE(run(read_, first + 64 / step).clean());
  gpu_.forget(far_, 3 * kGiB + 16, 16);  // the middle becomes fresh again
  EXPECT_TRUE(run(read_, first + 12 / step).clean());
  EXPECT_FALSE(run(read_, first + 16 / step).clean());
  EXPECT_TRUE(run(read_, first + 32 / step).clean());
}

TEST_P(Sparse, APatternIsWrittenEverywhere) {
  std::vector<std::byte> pattern(3 * 4096);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(i / 4);
  gpu_.upload_repeated(far_, 0, bytes_, pattern);
  EXPECT_TRUE(run(read_, 0).clean());
  EXPECT_TRUE(run(read_, elements() / 2).clean());
  EXPECT_TRUE(run(read_, elements() - 1).clean());
  std::uint32_t got = 0;
  gpu_.download(near_, 0, std::as_writable_bytes(std::span(&got, 1)));
  const std::size_t last = bytes_ - bytes_ / elements();
  EXPECT_EQ(got & 0xFF, static_cast<std::uint32_t>(pattern[last % pattern.size()]));
}

TEST_P(Sparse, WhatALaunchWroteTheNextMayReadAndIsTouched) {
  const std::uint64_t at = elements() - 5;
  EXPECT_TRUE(run(write_, at).clean());
  EXPECT_TRUE(run(read_, at).clean());
  EXPECT_FALSE(run(read_, at - 1).clean());
  std::size_t touched = 0;
  for (const auto& range : gpu_.touched(far_, 0, bytes_)) touched += range.end - range.begin;
  EXPECT_GT(touched, 0u);
  EXPECT_LE(touched, std::size_t{1} << 20) << "a few pages of four gigabytes";
}

INSTANTIATE_TEST_SUITE_P(Units, Sparse, testing::Values("uint", "uchar"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace assay::simulator
