// What the preprocessor makes of a kernel's text.
#pragma once

#include <string>

#include "assay/device/device.hpp"
#include "harness/metal/compile/toolchain.hpp"

namespace assay::metal {

/// The text of a kernel behind its preprocessor, with line markers. Throws CompileError where there is no
/// such file or the preprocessor complains, UnsupportedFeature for what foreign_text.hpp refuses.
std::string preprocess(const device::KernelSource& source, const Toolchain& tools = toolchain());

}  // namespace assay::metal
