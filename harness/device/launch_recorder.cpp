#include "assay/device/launch_recorder.hpp"

#include <algorithm>
#include <utility>

namespace assay::device {
namespace {

constexpr std::size_t kMostShown = std::size_t{64} << 20;

}  // namespace

KernelId LaunchRecorder::load(const KernelSource& source) {
  const KernelId kernel = inner().load(source);
  functions_[kernel] = source.function;
  return kernel;
}

LaunchReport LaunchRecorder::dispatch(const Dispatch& launch) {
  ++launches_;
  show(LaunchSnapshot::Moment::before, launch);
  LaunchReport report = inner().dispatch(launch);
  show(LaunchSnapshot::Moment::after, launch);
  return report;
}

void LaunchRecorder::show(LaunchSnapshot::Moment moment, const Dispatch& launch) {
  LaunchSnapshot snapshot{moment, launches_, functions_[launch.kernel], {}};
  const auto show_slice = [&](const BufferSlice& slice, std::vector<std::byte>& bytes) {
    bytes.resize(std::min(slice.size_bytes, kMostShown));
    inner().download(slice.buffer, slice.offset_bytes, bytes);
  };
  for (const Argument& argument : launch.arguments) {
    std::vector<std::byte>& bytes = snapshot.arguments.emplace_back();
    if (const auto* slice = std::get_if<BufferSlice>(&argument)) {
      show_slice(*slice, bytes);
    } else if (const auto* value = std::get_if<InlineBytes>(&argument)) {
      bytes = value->bytes;
    }
  }
  for (const auto& texture : launch.textures) {
    std::vector<std::byte>& bytes = snapshot.textures.emplace_back();
    if (texture) show_slice(texture->memory, bytes);
  }
  for (const BufferPointer& pointer : launch.pointers)
    show_slice(pointer.target, snapshot.pointers.emplace_back());
  observer_(snapshot);
}

}  // namespace assay::device
