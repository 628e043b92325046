// Macros without parameters that a kernel's text defines: the preprocessor leaves no more of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::draft {

/// `#define NAME TEXT` of those files and of the command line: names and texts, in order.
std::vector<std::pair<std::string, std::string>> macros_of(const device::KernelSource& source,
                                                           const std::vector<std::string>& files);

}  // namespace assay::draft
