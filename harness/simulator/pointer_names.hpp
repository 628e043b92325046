// What the pointers of a launch are called in reports: as the kernel's text calls them.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/module/module.hpp"

namespace assay::simulator {

/// By place in Dispatch::pointers: "set.a", "tensors[3].data"; "pointer 2" where nothing that the kernel's
/// parameters lead to, by the text, has a pointer there.
std::vector<std::string> names_of_pointers(const device::Dispatch& dispatch,
                                           const metal::KernelModule& module);

}  // namespace assay::simulator
