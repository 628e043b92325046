// A small device for tests: buffers in host memory, kernels as C++ functions registered by function name.
//
// Nothing stops a kernel from writing beside its slice, as on real hardware: that is for decorators to see.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::device {

/// What a registered kernel is given.
class MemoryLaunch {
 public:
  MemoryLaunch(const Dispatch& launch, std::vector<std::byte*> starts)
      : launch_(launch), starts_(std::move(starts)) {}

  const Dispatch& dispatch() const { return launch_; }

  /// First byte bound to [[buffer(index)]]; null where unbound.
  template <class T = std::byte>
  T* pointer(std::size_t index) const {
    return reinterpret_cast<T*>(starts_.at(index));
  }

  /// Value of an argument passed by copy.
  template <class T>
  T value(std::size_t index) const {
    T value;
    std::memcpy(&value, std::get<InlineBytes>(launch_.arguments.at(index)).bytes.data(), sizeof value);
    return value;
  }

  std::size_t size_bytes(std::size_t index) const {
    return std::get<BufferSlice>(launch_.arguments.at(index)).size_bytes;
  }

  LaunchReport report;  ///< returned by dispatch

 private:
  const Dispatch& launch_;
  std::vector<std::byte*> starts_;
};

/// A kernel of a MemoryDevice.
inline KernelSource kernel_named(const std::string& function) {
  KernelSource source;
  source.path = "none.metal";
  source.function = function;
  return source;
}

class MemoryDevice : public Device {
 public:
  using Kernel = std::function<void(MemoryLaunch&)>;

  /// load() of this function name gives `kernel`; the source file is not read.
  void add(const std::string& function, Kernel kernel) { registered_[function] = std::move(kernel); }

  /// Buffers larger than this cannot be had, whatever limits() says.
  void has_memory(std::size_t bytes) { memory_bytes_ = bytes; }

  std::size_t live_buffers() const { return buffers_.size(); }

  Limits limits() const override { return {}; }
  Capabilities capabilities() const override { return {.poisons = true}; }

  KernelId load(const KernelSource& source) override {
    const auto found = registered_.find(source.function);
    if (found == registered_.end()) throw DeviceError("no function " + source.function);
    loaded_.push_back(found->second);
    return KernelId{static_cast<std::uint32_t>(loaded_.size() - 1)};
  }

  BufferId allocate(std::size_t size_bytes) override {
    if (size_bytes > std::min(limits().buffer_bytes, memory_bytes_)) throw DeviceError("out of memory");
    std::vector<std::byte> bytes(size_bytes);
    for (std::size_t i = 0; i < size_bytes; ++i) bytes[i] = static_cast<std::byte>(kPoison >> (8 * (i % 2)));
    const BufferId id{next_++};
    buffers_.emplace(id, std::move(bytes));
    return id;
  }

  void release(BufferId buffer) override {
    bytes_of(buffer);
    buffers_.erase(buffer);
  }

  void upload(BufferId buffer, std::size_t offset_bytes, std::span<const std::byte> data) override {
    std::copy(data.begin(), data.end(), range(buffer, offset_bytes, data.size()));
  }

  void download(BufferId buffer, std::size_t offset_bytes, std::span<std::byte> data) override {
    std::copy_n(range(buffer, offset_bytes, data.size()), data.size(), data.begin());
  }

  LaunchReport dispatch(const Dispatch& launch) override {
    const auto kernel = static_cast<std::size_t>(launch.kernel);
    if (kernel >= loaded_.size()) throw DeviceError("no such kernel");
    if (!launch.sample.empty()) throw DeviceError("no samples of launches");
    if (!launch.pointers.empty()) throw DeviceError("no pointers in buffers");
    std::vector<std::vector<std::byte>> copies;
    copies.reserve(launch.arguments.size());
    std::vector<std::byte*> starts;
    for (const Argument& argument : launch.arguments) {
      if (const auto* slice = std::get_if<BufferSlice>(&argument)) {
        starts.push_back(range(slice->buffer, slice->offset_bytes, slice->size_bytes));
      } else if (const auto* inlined = std::get_if<InlineBytes>(&argument)) {
        copies.push_back(inlined->bytes);
        starts.push_back(copies.back().data());
      } else {
        starts.push_back(nullptr);
      }
    }
    MemoryLaunch running(launch, std::move(starts));
    running.report.kernel_invocations = invocations_of(launch);
    loaded_[kernel](running);
    return std::move(running.report);
  }

 private:
  std::vector<std::byte>& bytes_of(BufferId buffer) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) throw DeviceError("no such buffer");
    return found->second;
  }

  std::byte* range(BufferId buffer, std::size_t offset_bytes, std::size_t size_bytes) {
    std::vector<std::byte>& bytes = bytes_of(buffer);
    if (offset_bytes > bytes.size() || size_bytes > bytes.size() - offset_bytes)
      throw DeviceError("out of range");
    return bytes.data() + offset_bytes;
  }

  std::map<std::string, Kernel> registered_;
  std::vector<Kernel> loaded_;
  std::map<BufferId, std::vector<std::byte>> buffers_;
  std::size_t memory_bytes_ = ~std::size_t{0};
  std::uint32_t next_ = 1;
};

}  // namespace assay::device
