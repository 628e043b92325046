// The kernels of the conformance suite. Their text is in the program: where a header lies is nothing that a
// compiler says reliably.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "assay/device/device.hpp"

namespace assay::device {

inline constexpr const char* kConformanceKernels = R"metal(#include <metal_stdlib>
using namespace metal;

/// *data = *data * factor + addend, by one thread.
kernel void scale_add(device uint* data [[buffer(0)]], constant uint& factor [[buffer(1)]],
                      constant uint& addend [[buffer(2)]], uint index [[thread_position_in_grid]]) {
  if (index == 0) {
    *data = *data * factor + addend;
  }
}

/// data[i] = i + 1 for each thread i.
kernel void fill_positions(device uint* data [[buffer(0)]], uint index [[thread_position_in_grid]]) {
  data[index] = index + 1;
}

/// order[g] = how many threadgroups had arrived before threadgroup g; *arrived counts them.
kernel void arrivals(device atomic_uint* arrived [[buffer(0)]], device uint* order [[buffer(1)]],
                     uint group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  if (lane == 0) {
    order[group] = atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed);
  }
}

struct Copy {
  device const uint* from;
  uint addend;
  device uint* to;
};

/// One copy after the other: *to = *from + addend.
kernel void follow(device const Copy* copies [[buffer(0)]], constant uint& count [[buffer(1)]],
                   uint index [[thread_position_in_grid]]) {
  for (uint i = 0; index == 0 && i < count; ++i) *copies[i].to = *copies[i].from + copies[i].addend;
}
)metal";

/// One of them, in a file that is there as long as the program runs.
inline KernelSource conformance_kernel(const std::string& function) {
  struct File {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("assay-conformance-" + std::to_string(getpid()) + ".metal");
    File() { std::ofstream(path) << kConformanceKernels; }
    ~File() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  };
  static const File file;
  return {file.path, function, {}, {}, {}};
}

}  // namespace assay::device
