// Buffers in checked mode on both sides of the size from which on the checker keeps ranges and not a record
// for each unit: what it knows of a byte must not depend on that size.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "harness/simulator/simulated_gpu.hpp"

namespace assay::simulator {
namespace {

constexpr std::uint32_t kWords = std::uint32_t{1} << 16;  // 2^18 bytes

class SizeOfBuffer : public testing::TestWithParam<std::uint32_t> {
 protected:
  SizeOfBuffer()
      : path_(std::filesystem::temp_directory_path() / ("assay-size-of-buffer-" + std::to_string(getpid()) +
                                                        "-" + std::to_string(GetParam()) + ".metal")) {
    std::ofstream(path_) << "#include <metal_stdlib>\nusing namespace metal;\n"
                            "kernel void read_at(device uint* data [[buffer(0)]],\n"
                            "                    device uint* out [[buffer(1)]],\n"
                            "                    constant uint& at [[buffer(2)]]) {\n"
                            "  out[0] = data[at];\n}\n"
                            "kernel void write_at(device uint* data [[buffer(0)]],\n"
                            "                     device uint* out [[buffer(1)]],\n"
                            "                     constant uint& at [[buffer(2)]],\n"
                            "                     uint group [[threadgroup_position_in_grid]]) {\n"
                            "  data[at] = group;\n}\n";
    read_ = gpu_.load({path_, "read_at", {}, {}, {}});
    write_ = gpu_.load({path_, "write_at", {}, {}, {}});
    data_ = gpu_.allocate(size_bytes());
    out_ = gpu_.allocate(4);
  }
  ~SizeOfBuffer() override {
    gpu_.release(data_);
    gpu_.release(out_);
    std::filesystem::remove(path_);
  }

  std::size_t size_bytes() const { return std::size_t{GetParam()} * 4; }
  std::uint32_t last() const { return GetParam() - 1; }

  device::LaunchReport run(device::KernelId kernel, std::uint32_t at, std::uint32_t threadgroups = 1) {
    device::InlineBytes index{std::vector<std::byte>(sizeof at)};
    std::memcpy(index.bytes.data(), &at, sizeof at);
    return gpu_.dispatch(
        {kernel,
         {device::BufferSlice{data_, 0, size_bytes()}, device::BufferSlice{out_, 0, 4}, index},
         {},
         {threadgroups, 1, 1},
         false,
         {1, 1, 1}});
  }

  static device::FaultKind kind_of(const device::LaunchReport& report) { return report.faults.at(0).kind; }

  void upload(std::uint32_t first, std::uint32_t words) {
    gpu_.upload(data_, std::size_t{first} * 4, std::vector<std::byte>(std::size_t{words} * 4, std::byte{3}));
  }

  std::filesystem::path path_;
  SimulatedGpu gpu_{{.mode = Mode::checked, .limits = {}}};
  device::KernelId read_{}, write_{};
  device::BufferId data_{}, out_{};
};

TEST_P(SizeOfBuffer, WhatNobodyWroteIsNotRead) {
  upload(0, last());
  EXPECT_TRUE(run(read_, last() - 1).clean());
  const auto report = run(read_, last());
  ASSERT_FALSE(report.clean());
  EXPECT_EQ(kind_of(report), device::FaultKind::uninitialised_read);
}

TEST_P(SizeOfBuffer, WhatALaunchWroteIsFreshAgainWhereTheHostForgetsIt) {
  EXPECT_TRUE(run(write_, last()).clean());
  EXPECT_TRUE(run(read_, last()).clean());
  gpu_.forget(data_, size_bytes() - 8, 8);
  EXPECT_FALSE(run(read_, last()).clean());
  upload(0, GetParam());
  EXPECT_TRUE(run(read_, last()).clean());
}

TEST_P(SizeOfBuffer, TwoThreadgroupsThatWriteOneWordRace) {
  upload(0, GetParam());
  const auto report = run(write_, 1, 2);
  ASSERT_FALSE(report.clean());
  EXPECT_EQ(kind_of(report), device::FaultKind::race);
  EXPECT_TRUE(run(read_, 1).clean()) << "the launch after it is another";
}

TEST_P(SizeOfBuffer, TheEndIsWhereTheBufferEnds) {
  upload(0, GetParam());
  const auto report = run(read_, GetParam());
  ASSERT_FALSE(report.clean());
  EXPECT_EQ(kind_of(report), device::FaultKind::out_of_bounds);
}

INSTANTIATE_TEST_SUITE_P(Words, SizeOfBuffer, testing::Values(kWords - 1, kWords, 3 * kWords + 5));

}  // namespace
}  // namespace assay::simulator
