// A dispatch whose arguments are found and checked, ready to run.
#pragma once

#include <string>
#include <vector>

#include "harness/simulator/buffers.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

/// What the device, or the kernel by its attributes, has no room for, in words; nothing where all fits.
/// Throws DeviceError for an empty grid.
std::string over_budget(const device::Dispatch& dispatch, const metal::KernelModule& module,
                        const device::Limits& limits);

/// Inline bytes get a buffer of their own for as long as this lives.
class BoundLaunch {
 public:
  /// Writes Dispatch::pointers. Throws DeviceError, and has written none of them then, where an argument is
  /// missing, is not what its parameter needs, or lies outside of its buffer.
  BoundLaunch(Buffers& buffers, const device::Dispatch& dispatch, const metal::KernelModule& module);
  BoundLaunch(const BoundLaunch&) = delete;
  BoundLaunch& operator=(const BoundLaunch&) = delete;

  Launch launch;  ///< its grid and what is bound to it

  // Where what is bound lies, by index; no bytes where nothing is.
  std::vector<NamedRange> arguments, textures;
  std::vector<NamedRange> pointers;  ///< what they lead to, by place in Dispatch::pointers

  /// All three, one behind the other.
  std::vector<NamedRange> memory() const;

 private:
  struct InlineBuffers {
    Buffers& buffers;
    std::vector<device::BufferId> ids = {};
    ~InlineBuffers();
  };

  void bind_grid();
  void bind_arguments();
  void bind_textures();
  void bind_samplers();
  void bind_threadgroup_memory();
  void write_pointers();

  Buffers& buffers_;
  const device::Dispatch& dispatch_;
  const metal::KernelModule& module_;
  InlineBuffers inline_;
};

}  // namespace assay::simulator
