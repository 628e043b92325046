// Kernel functions of a Metal file as a manifest has to describe them: what each parameter takes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/draft/element_type.hpp"
#include "harness/metal/text/outline.hpp"

namespace assay::draft {

struct Parameter {
  enum class Kind {
    buffer,       ///< elements in device or constant memory
    scalars,      ///< a value that a launch passes: one scalar, or a vector or struct of them
    threadgroup,  ///< threadgroup memory that a launch sizes
    position,     ///< what the device fills in
    other,        ///< textures, samplers and what a manifest has no words for
  };
  Kind kind = Kind::other;
  std::string name;     ///< the last word of its type if it has no name
  bool named = false;   ///< does it have one?
  std::string written;  ///< its type, as the text has it: "device const half4*"
  ElementType element = {};
  bool writable = false;
  std::string attribute = {};  ///< of `position`: "thread_position_in_grid"
  unsigned axes = 1;           ///< of `position`: 2 of uint2
  unsigned used_axes = 1;  ///< of these, up to the last that the kernel looks at: 0 where it looks at none
  std::uint32_t line = 0;
};

/// A constant of the pipeline that the text declares.
using FunctionConstant = metal::OutlinedConstant;

/// What a text says of the threads of a threadgroup.
struct ThreadClue {
  device::Size3 threads;
  std::string why;    ///< "THREADS in the text"
  bool flat = false;  ///< a number of threads, however they lie
  bool all = false;   ///< they are all that the grid has: places in the grid are as far apart
};

/// A scalar by which threads that share their work step from one piece to the next: as many as share it.
struct StrideClue {
  enum class Of { grid, threadgroups, threads };  ///< of the grid, and of a threadgroup
  std::string scalar;                             ///< a parameter, or a field of one
  Of of = Of::grid;
};

struct KernelText {
  std::string function;  ///< as a manifest names it: its name, or the host_name of an instantiation
  std::vector<Parameter> parameters;
  std::vector<FunctionConstant> constants;  ///< those that the kernel uses
  std::optional<ThreadClue> threads = {};
  std::vector<StrideClue> strides = {};
  /// Whether another number of threads in a threadgroup could make a difference.
  bool threads_matter = false;
  bool waits = false;  ///< at a threadgroup_barrier
  /// Whole numbers that the text gives names to and that may be sizes of tiles, in order.
  std::vector<std::int64_t> tiles = {};

  const Parameter* find(const std::string& name) const;
  /// Axes of a position attribute, 0 where no parameter has it.
  unsigned axes_of(const std::string& attribute) const;
  /// The same of those that the kernel looks at.
  unsigned used_axes_of(const std::string& attribute) const;
};

/// Names of all kernels of a file, in order: of functions, and of instantiations by their host_name. Throws
/// as metal::compile() does.
std::vector<std::string> kernels_of(const device::KernelSource& source);

/// The kernel `source.function`. Throws as metal::compile() does: also where the file has no such kernel.
KernelText read_kernel(const device::KernelSource& source);

}  // namespace assay::draft
