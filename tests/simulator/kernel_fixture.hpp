// Runs a few lines of Metal on the simulated GPU.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/device/metal_version.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/simulated_gpu.hpp"

namespace assay::simulator {

struct Shape {
  device::Size3 threads{64, 1, 1};
  device::Size3 threadgroups{1, 1, 1};
  std::size_t words = 64;                           ///< of each buffer
  std::vector<std::size_t> threadgroup_bytes = {};  ///< of [[threadgroup(i)]] arguments
  unsigned os_threads = 1;
  std::uint64_t schedule = 0;
  bool writers = false;
  bool only_reach = false;  ///< in counted mode
  /// Not 0: the grid counts threads, so many; the last threadgroup may be partial.
  std::uint32_t threads_in_all = 0;
  const char* coherent = "coherent(device)";  ///< what both buffers are declared as
  unsigned metal_version = device::kMetalVersion;
};

struct Ran {
  device::LaunchReport report;
  std::vector<std::uint32_t> out;
  Counts counts;  ///< in counted mode

  /// The kinds of fault, in order.
  std::vector<device::FaultKind> kinds() const {
    std::vector<device::FaultKind> all;
    for (const auto& fault : report.faults) all.push_back(fault.kind);
    return all;
  }
  std::string text() const {
    std::string all;
    for (const auto& fault : report.faults) {
      all += fmt::format("{}:{}: {}\n", fault.place.file, fault.place.line, fault.message);
    }
    return all;
  }
};

/// The kernel `k(device coherent(device) uint* in [[buffer(0)]], device coherent(device) uint* out
/// [[buffer(1)]],
/// ...)` with this body, whose
/// first line is line 1 of its file, compiled once for any number of runs.
class BodyKernel {
 public:
  BodyKernel(Mode mode, const std::string& body, const Shape& shape, const std::string& parameters = "",
             const std::string& ahead = "")
      : shape_(shape),
        gpu_({.mode = mode,
              .threads = shape.os_threads,
              .schedule = shape.schedule,
              .only_reach = shape.only_reach,
              .writers = shape.writers,
              .limits = {}}) {
    static int count = 0;
    const auto path =
        std::filesystem::temp_directory_path() / fmt::format("assay-body-{}-{}.metal", getpid(), count++);
    std::ofstream(path)
        << "#include <metal_stdlib>\nusing namespace metal;\n"
        << ahead << "\nkernel void k(device " << shape.coherent << " uint* in [[buffer(0)]],\n"
        << "device " << shape.coherent << " uint* out [[buffer(1)]],\n"
        << "uint i [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],\n"
        << "uint simdgroup [[simdgroup_index_in_threadgroup]],\n"
        << "uint group [[threadgroup_position_in_grid]]" << parameters << ") {\n#line 1\n"
        << body << "\n}\n";
    kernel_ =
        gpu_.load({path, "k", {{device::kMetalVersionMacro, std::to_string(shape.metal_version)}}, {}, {}});
    std::filesystem::remove(path);
  }

  /// `in` holds 0, 1, 2, ...; `out` is undefined.
  Ran run(std::uint64_t schedule = 0, device::PlannedSchedule* planned = nullptr,
          std::uint32_t resident_threadgroups = 1) {
    const auto in = gpu_.allocate(shape_.words * 4), out = gpu_.allocate(shape_.words * 4);
    std::vector<std::uint32_t> words(shape_.words);
    for (std::size_t w = 0; w < words.size(); ++w) words[w] = static_cast<std::uint32_t>(w);
    gpu_.upload(in, 0, std::as_bytes(std::span(words)));
    device::Dispatch dispatch;
    dispatch.kernel = kernel_;
    dispatch.arguments = {device::BufferSlice{in, 0, words.size() * 4},
                          device::BufferSlice{out, 0, words.size() * 4}};
    dispatch.threadgroup_bytes = shape_.threadgroup_bytes;
    dispatch.grid = shape_.threadgroups;
    if (shape_.threads_in_all != 0) dispatch.grid = {shape_.threads_in_all, 1, 1};
    dispatch.grid_in_threads = shape_.threads_in_all != 0;
    dispatch.threads_per_threadgroup = shape_.threads;
    dispatch.schedule = schedule;
    dispatch.planned = planned;
    dispatch.resident_threadgroups = resident_threadgroups;
    Ran ran;
    ran.report = gpu_.dispatch(dispatch);
    if (ran.report.counts) ran.counts = *ran.report.counts;
    ran.out.resize(shape_.words);
    gpu_.download(out, 0, std::as_writable_bytes(std::span(ran.out)));
    gpu_.release(in);
    gpu_.release(out);
    return ran;
  }

 private:
  Shape shape_;
  SimulatedGpu gpu_;
  device::KernelId kernel_{};
};

inline Ran run_body(Mode mode, const std::string& body, const Shape& shape = {},
                    const std::string& parameters = "", const std::string& ahead = "") {
  return BodyKernel(mode, body, shape, parameters, ahead).run();
}

}  // namespace assay::simulator
