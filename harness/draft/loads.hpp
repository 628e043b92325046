// Which kernels of a Metal file load: are read, refused or compiled, as a launch would have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::draft {

/// A reason, and the kernels that do not load because of it.
struct Refusal {
  std::string why;  ///< one line, as a launch would say it
  std::vector<std::string> kernels;
};

struct LoadedFile {
  std::size_t kernels = 0, loaded = 0;
  std::vector<Refusal> refusals;  ///< those that refuse most kernels first
  /// That were given a value: "function constant 3 (bool causal) is true".
  std::vector<std::string> constants;
  std::set<std::uint32_t> used_constants;  ///< indices of function constants that kernels use
};

/// Compiles every kernel of a file, each in a process of its own, `jobs` at a time. A function constant that
/// `source` gives no value, and that the text does not ask for, gets a usual one. A kernel need not use all
/// settings of `source`. `done` is told how many
/// kernels have been judged. Throws as metal::compile() does where the file as a whole cannot be read.
LoadedFile load_kernels(const device::KernelSource& source, unsigned jobs,
                        const std::function<void(std::size_t done, std::size_t of)>& done = {});

}  // namespace assay::draft
