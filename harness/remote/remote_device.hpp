// A device that runs its kernels in a process of its own. Whoever launches and judges stays here: what that
// process holds is the kernels, the inputs and room for outputs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/device/options.hpp"
#include "harness/process/child.hpp"
#include "harness/remote/window.hpp"

namespace assay::remote {

/// The kernels of a device are loaded here, before the process is forked. Launches and buffers go there. All
/// that comes back is what somebody claims; what no device says ends that process. Where it is gone, every
/// function that needs it throws process::KernelProcessEnded.
class RemoteDevice final : public device::Device {
 public:
  /// `inner`, which must outlive this, is what the process works on. Of the options, `fault_seen` and
  /// `loop_budget` are told here.
  explicit RemoteDevice(device::Device& inner, const device::DeviceOptions& options = {});
  RemoteDevice(std::unique_ptr<device::Device> inner, const device::DeviceOptions& options);
  ~RemoteDevice() override;

  /// Forks the process, if it does not run: it knows what is known by now. Else the first use of a buffer
  /// does.
  void start();

  device::Limits limits() const override { return inner_.limits(); }
  device::Capabilities capabilities() const override { return inner_.capabilities(); }
  const metal::KernelModule* module(device::KernelId kernel) const override { return inner_.module(kernel); }
  /// Throws DeviceError, too, where there are buffers.
  device::KernelId load(const device::KernelSource& source) override;
  device::BufferId allocate(std::size_t size_bytes) override;
  device::BufferId allocate_sparse(std::size_t size_bytes) override;
  void release(device::BufferId buffer) override;
  void upload(device::BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override;
  void download(device::BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override;
  void gather(device::BufferId buffer, std::span<const device::ByteRange> ranges,
              std::span<std::byte> data) override;
  void upload_repeated(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes,
                       std::span<const std::byte> pattern) override;
  void forget(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) override;
  std::vector<device::ByteRange> touched(device::BufferId buffer, std::size_t offset_bytes,
                                         std::size_t size_bytes) override;
  device::LaunchReport dispatch(const device::Dispatch& launch) override;

  /// Processor time of the process so far, in seconds.
  double processor_s() const { return process_ ? process_->own_processor_s() : 0; }

 private:
  struct Buffer {
    std::size_t size_bytes = 0;
    bool sparse = false;
    /// Where all of it lies in the window, since the last launch; nothing where it has changed.
    std::optional<std::size_t> copy_at = {};
  };

  device::BufferId add(const char* command, std::size_t size_bytes, bool sparse);
  /// Throws DeviceError for a buffer that is not there and for bytes outside of it.
  Buffer& range(device::BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes);
  /// Room in the window for bytes that go to a buffer; what waits is sent first where there is none.
  std::size_t take(std::span<const std::byte> data);
  /// Sends what waits and `request`, and gives what the process says is done.
  nlohmann::json call(nlohmann::json request, const device::Dispatch* launch = nullptr);
  void send(const nlohmann::json& request);
  nlohmann::json hear();
  [[noreturn]] void ended();

  std::unique_ptr<device::Device> owned_;
  device::Device& inner_;
  std::function<void(const device::Fault&)> fault_seen_;
  std::shared_ptr<device::LoopBudget> budget_;
  std::unique_ptr<Window> window_;
  std::optional<process::Child> process_;
  std::map<device::BufferId, Buffer> buffers_;
  std::uint32_t next_ = 1;
  nlohmann::json waiting_ = nlohmann::json::array();  // commands
  std::size_t taken_ = 0;                             // bytes of the window that they need
};

/// A registered device (device::make_device) that runs in a process of its own.
std::unique_ptr<device::Device> make_remote(std::string_view name, device::DeviceOptions options);

/// Processor time that kernels have taken in processes which this one has started, in seconds.
double processor_s_of_kernels();

}  // namespace assay::remote
