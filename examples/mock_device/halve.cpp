#include "halve.hpp"

using namespace assay::device;

std::vector<float> halve(Device& device, const KernelSource& kernel, std::vector<float> values) {
  const KernelId loaded = device.load(kernel);
  const std::size_t size_bytes = values.size() * sizeof(float);
  const Buffer buffer(device, size_bytes);  // released with this object
  device.upload(buffer.id(), 0, std::as_bytes(std::span(values)));
  Dispatch launch;
  launch.kernel = loaded;
  launch.arguments = {BufferSlice{buffer.id(), 0, size_bytes}};
  launch.grid = {static_cast<std::uint32_t>(values.size()), 1, 1};
  launch.grid_in_threads = true;
  launch.threads_per_threadgroup = {32, 1, 1};
  device.dispatch(launch);
  device.download(buffer.id(), 0, std::as_writable_bytes(std::span(values)));
  return values;
}
