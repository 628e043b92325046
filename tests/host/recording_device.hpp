// A mock device that keeps what it is given and fails when it is told to.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/mock_device.hpp"

namespace assay::host {

class RecordingDevice : public testing::NiceMock<device::MockDevice> {
 public:
  RecordingDevice() {
    using testing::_;
    ON_CALL(*this, limits()).WillByDefault([this] { return device_limits; });
    ON_CALL(*this, load(_)).WillByDefault([this](const device::KernelSource& source) {
      step("load " + source.function);
      sources.push_back(source);
      return device::KernelId{static_cast<std::uint32_t>(sources.size() - 1)};
    });
    ON_CALL(*this, allocate(_)).WillByDefault([this](std::size_t size_bytes) {
      step("allocate " + std::to_string(size_bytes));
      const device::BufferId id{++last_buffer_};
      live[id].resize(size_bytes);
      most_live = std::max(most_live, live.size());
      return id;
    });
    ON_CALL(*this, release(_)).WillByDefault([this](device::BufferId buffer) {
      EXPECT_EQ(live.erase(buffer), 1u) << "released twice, or never allocated";
    });
    ON_CALL(*this, upload(_, _, _))
        .WillByDefault([this](device::BufferId buffer, std::size_t offset, std::span<const std::byte> data) {
          step("upload");
          ASSERT_LE(offset + data.size(), live.at(buffer).size());
          std::memcpy(live.at(buffer).data() + offset, data.data(), data.size());
        });
    ON_CALL(*this, download(_, _, _))
        .WillByDefault([this](device::BufferId buffer, std::size_t offset, std::span<std::byte> data) {
          step("download");
          ASSERT_LE(offset + data.size(), live.at(buffer).size());
          std::memcpy(data.data(), live.at(buffer).data() + offset, data.size());
        });
    ON_CALL(*this, dispatch(_)).WillByDefault([this](const device::Dispatch& launch) {
      step("dispatch " + sources.at(static_cast<std::size_t>(launch.kernel)).function);
      for (const auto& argument : launch.arguments) {
        if (const auto* slice = std::get_if<device::BufferSlice>(&argument)) {
          EXPECT_LE(slice->offset_bytes + slice->size_bytes, live.at(slice->buffer).size());
        }
      }
      launches.push_back(launch);
      if (dirty_launch && *dirty_launch == launches.size() - 1) return dirty;
      return device::LaunchReport{};
    });
  }

  /// Function of a launch's kernel.
  std::string function_of(const device::Dispatch& launch) const {
    return sources.at(static_cast<std::size_t>(launch.kernel)).function;
  }

  device::Limits device_limits;
  std::vector<std::string> steps;  ///< loads, allocations, transfers and launches that were tried, in order
  std::optional<std::size_t> failing_step;
  std::optional<std::size_t> dirty_launch;
  device::LaunchReport dirty{{{device::FaultKind::race, "a race", {"k.metal", 17}, {}, 3},
                              {device::FaultKind::out_of_bounds, "beyond", {}, {}, 1}}};

  std::vector<device::KernelSource> sources;
  std::map<device::BufferId, std::vector<std::byte>> live;
  std::size_t most_live = 0;  ///< buffers at a time
  std::vector<device::Dispatch> launches;

 private:
  void step(std::string what) {
    steps.push_back(std::move(what));
    if (failing_step && *failing_step == steps.size() - 1)
      throw device::DeviceError("refused: " + steps.back());
  }

  std::uint32_t last_buffer_ = 100;
};

}  // namespace assay::host
