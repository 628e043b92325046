// Values for function constants that nobody told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/draft/kernel_reader.hpp"

namespace assay::draft {

struct GivenConstant {
  std::uint32_t index = 0;
  std::string name, value;
  std::string text;  ///< "function constant 3 (bool causal) is true"
};

/// A value that hosts often give to constants of this type. Where the kernel chooses by the constant among
/// several numbers, one of these.
std::string usual_value(const FunctionConstant& constant);

/// Values for those constants of the kernel that `source` gives none, and that the text does not ask for.
std::vector<GivenConstant> usual_constants(const KernelText& kernel, const device::KernelSource& source);

}  // namespace assay::draft
