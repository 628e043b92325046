// A kernel compiled once, in a process of its own: the indices that memory is bound to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::draft {

/// What the compiled kernel has that memory is bound to.
struct CompiledKernel {
  std::map<std::string, unsigned> buffers, threadgroup;  ///< by parameter: its index
  std::map<std::string, device::MemoryShape> shapes;     ///< of those that lead to pointers
  std::size_t indices = 0;                               ///< one past the highest of a buffer
  std::uint32_t most_threads = 0;                        ///< [[max_total_threads_per_threadgroup]]; 0: none
  std::vector<metal::TextureParameter> textures;
  std::size_t samplers = 0;  ///< one past the highest index
};

/// Compiles it, in a process of its own. Throws std::runtime_error with the words of the front end.
CompiledKernel compile_kernel(const device::KernelSource& source);

}  // namespace assay::draft
