// One kernel of a file, its buffers and its launch, on the simulated GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness/simulator/simulated_gpu.hpp"
#include "tests/half.hpp"

namespace assay::metal {

inline std::filesystem::path source_path(const std::string& name) {
  return std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/metal/sources" / name;
}

/// What a launch left in the buffers, and what was seen on the way.
struct Finished {
  device::LaunchReport report;
  std::map<std::size_t, std::vector<std::byte>> buffers;

  template <class T>
  std::vector<T> values(std::size_t index) const {
    std::vector<T> out(buffers.at(index).size() / sizeof(T));
    std::memcpy(out.data(), buffers.at(index).data(), out.size() * sizeof(T));
    return out;
  }
};

class KernelRun {
 public:
  KernelRun(const std::filesystem::path& path, const std::string& function) {
    source_.path = path;
    source_.function = function;
  }
  device::KernelSource& source() { return source_; }

  KernelRun& constant(std::uint32_t index, const std::string& literal) {
    source_.function_constants[index] = literal;
    return *this;
  }
  KernelRun& include(const std::filesystem::path& directory) {
    source_.include_dirs.push_back(directory);
    return *this;
  }
  KernelRun& define(const std::string& name, const std::string& value) {
    source_.defines[name] = value;
    return *this;
  }
  template <class T>
  KernelRun& buffer(std::size_t index, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    buffers_[index].assign(bytes.begin(), bytes.end());
    return *this;
  }
  /// Memory that only pointers lead to; numbers as buffers have them, kUnbound and up.
  static constexpr std::size_t kUnbound = 1000;
  /// At launch, the bytes of a buffer from there on point to another, from its byte `target_offset` on.
  KernelRun& pointer(std::size_t holder, std::size_t offset, std::size_t target,
                     std::size_t target_offset = 0) {
    pointers_.push_back({holder, offset, target, target_offset});
    return *this;
  }
  /// Such memory that nobody has written.
  KernelRun& fresh(std::size_t index, std::size_t size_bytes) {
    fresh_[index] = size_bytes;
    return *this;
  }
  template <class T>
  KernelRun& value(std::size_t index, const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    inlined_[index].bytes.assign(bytes.begin(), bytes.end());
    return *this;
  }
  KernelRun& threadgroup_bytes(std::vector<std::size_t> sizes) {
    threadgroup_bytes_ = std::move(sizes);
    return *this;
  }
  KernelRun& grid(device::Size3 threadgroups, device::Size3 threads) {
    threadgroups_ = threadgroups;
    threads_ = threads;
    return *this;
  }

  Finished run(simulator::Mode mode, Numerics numerics = Numerics::strict) const {
    simulator::Options options;
    options.mode = mode;
    options.numerics = numerics;
    return run(options);
  }
  Finished run(const simulator::Options& options) const {
    simulator::SimulatedGpu gpu(options);
    device::Dispatch launch;
    launch.kernel = gpu.load(source_);
    std::map<std::size_t, device::BufferId> ids;
    for (const auto& [index, bytes] : buffers_) {
      ids[index] = gpu.allocate(bytes.size());
      gpu.upload(ids[index], 0, bytes);
      if (index >= kUnbound) continue;
      if (launch.arguments.size() <= index) launch.arguments.resize(index + 1);
      launch.arguments[index] = device::BufferSlice{ids[index], 0, bytes.size()};
    }
    for (const auto& [index, bytes] : inlined_) {
      if (launch.arguments.size() <= index) launch.arguments.resize(index + 1);
      launch.arguments[index] = bytes;
    }
    auto sizes = fresh_;
    for (const auto& [index, size] : fresh_) ids[index] = gpu.allocate(size);
    for (const auto& [index, bytes] : buffers_) sizes[index] = bytes.size();
    for (const auto& [holder, offset, target, from] : pointers_)
      launch.pointers.push_back({ids.at(holder), offset, {ids.at(target), from, sizes.at(target) - from}});
    launch.threadgroup_bytes = threadgroup_bytes_;
    launch.grid = threadgroups_;
    launch.threads_per_threadgroup = threads_;
    Finished finished{gpu.dispatch(launch), buffers_};
    for (auto& [index, bytes] : finished.buffers) gpu.download(ids[index], 0, bytes);
    return finished;
  }

 private:
  struct Pointer {
    std::size_t holder, offset, target, target_offset;
  };
  device::KernelSource source_;
  std::map<std::size_t, std::vector<std::byte>> buffers_;
  std::map<std::size_t, std::size_t> fresh_;
  std::vector<Pointer> pointers_;
  std::map<std::size_t, device::InlineBytes> inlined_;
  std::vector<std::size_t> threadgroup_bytes_;
  device::Size3 threadgroups_, threads_;
};

/// A mode of the simulator, and of the compiler's arithmetic.
struct Setting {
  simulator::Mode mode = simulator::Mode::fast;
  Numerics numerics = Numerics::strict;
};
inline std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  if (info.param.mode == simulator::Mode::checked) return "Checked";
  const bool contracted = info.param.numerics == Numerics::contracted;
  return info.param.numerics == Numerics::strict ? "Fast" : contracted ? "Contracted" : "Reassociated";
}

/// Everything in fast mode, and the same in checked mode.
class BothModes : public testing::TestWithParam<Setting> {
 protected:
  static Finished run_clean(const KernelRun& kernel) {
    auto finished = kernel.run(GetParam().mode, GetParam().numerics);
    for (const auto& fault : finished.report.faults) {
      ADD_FAILURE() << fault.place.file << ":" << fault.place.line << ": " << fault.message;
    }
    return finished;
  }
};
#define ASSAY_BOTH_MODES(suite)                                                                    \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      , suite, testing::Values(Setting{simulator::Mode::fast}, Setting{simulator::Mode::checked}), \
      setting_name)
/// And where no rounding is, or none that is not the same in any order: with arithmetic that is not strict.
#define ASSAY_ALL_WAYS(suite)                                                                       \
  ASSAY_BOTH_MODES(suite);                                                                          \
  INSTANTIATE_TEST_SUITE_P(Numerics, suite,                                                         \
                           testing::Values(Setting{simulator::Mode::fast, Numerics::contracted},    \
                                           Setting{simulator::Mode::fast, Numerics::reassociated}), \
                           setting_name)

/// Whole numbers from low to high, the same on every run.
template <class T>
std::vector<T> whole_numbers(std::size_t count, int low, int high, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  const std::int64_t numbers = std::int64_t{high} - low + 1;
  for (auto& value : values) value = static_cast<T>(low + static_cast<std::int64_t>(random()) % numbers);
  return values;
}

/// A file of the test's own, gone with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-metal-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace assay::metal
