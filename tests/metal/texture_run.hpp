// Kernels of the conformance files with textures and samplers, bound as launches bind them.
#pragma once

#include <optional>

#include "tests/metal/conformance.hpp"

namespace assay::metal {

using device::TextureFormat;

/// A texture, and its texels before and after a launch.
struct BoundTexture {
  device::TextureShape shape;
  std::vector<std::byte> bytes;

  template <class T>
  std::vector<T> texels() const {
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};
/// One launch of a kernel; what is bound is left as the launch leaves it.
class TextureRun {
 public:
  TextureRun(std::filesystem::path file, std::string function) {
    source_.path = std::move(file);
    source_.function = std::move(function);
  }

  std::vector<BoundTexture> textures;
  std::vector<std::vector<std::byte>> buffers;
  std::vector<std::optional<device::Sampler>> samplers;

  /// Binds the next texture; without texels it is of zeros.
  template <class T>
  TextureRun& texture(device::TextureShape shape, const std::vector<T>& texels) {
    const auto bytes = std::as_bytes(std::span(texels));
    textures.push_back({shape, {bytes.begin(), bytes.end()}});
    return *this;
  }
  TextureRun& texture(device::TextureShape shape) {
    return texture(shape, std::vector<std::byte>(device::texture_bytes(shape)));
  }
  template <class T>
  TextureRun& buffer(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    buffers.emplace_back(bytes.begin(), bytes.end());
    return *this;
  }
  template <class T>
  std::vector<T> values(std::size_t index) const {
    std::vector<T> out(buffers.at(index).size() / sizeof(T));
    std::memcpy(out.data(), buffers.at(index).data(), buffers.at(index).size());
    return out;
  }

  /// Throws as a device does.
  device::LaunchReport run(simulator::Mode mode, device::Size3 threads) {
    simulator::Options options;
    options.mode = mode;
    simulator::SimulatedGpu gpu(options);
    device::Dispatch launch;
    launch.kernel = gpu.load(source_);
    std::vector<device::BufferId> ids;
    const auto put = [&](const std::vector<std::byte>& bytes) {
      ids.push_back(gpu.allocate(bytes.size()));
      gpu.upload(ids.back(), 0, bytes);
      return device::BufferSlice{ids.back(), 0, bytes.size()};
    };
    for (const auto& one : textures) launch.textures.push_back(device::Texture{put(one.bytes), one.shape});
    for (const auto& one : buffers) launch.arguments.push_back(put(one));
    launch.samplers = samplers;
    launch.threads_per_threadgroup = threads;
    auto report = gpu.dispatch(launch);
    std::size_t next = 0;
    for (auto& one : textures) gpu.download(ids[next++], 0, one.bytes);
    for (auto& one : buffers) gpu.download(ids[next++], 0, one);
    return report;
  }

  /// What the device says where it refuses the launch.
  std::string refusal(simulator::Mode mode) {
    try {
      run(mode, {1, 1, 1});
    } catch (const device::DeviceError& error) {
      return error.what();
    }
    return "";
  }

 private:
  device::KernelSource source_;
};

/// In both modes.
class TexturesTest : public testing::TestWithParam<Setting> {
 protected:
  static TextureRun kernel(const std::string& file, const std::string& function) {
    return {source_path("conformance/" + file + ".metal"), function};
  }
  static void run_clean(TextureRun& kernel, device::Size3 threads) {
    for (const auto& fault : kernel.run(GetParam().mode, threads).faults) {
      ADD_FAILURE() << fault.place.file << ":" << fault.place.line << ": " << fault.message;
    }
  }
};

}  // namespace assay::metal
