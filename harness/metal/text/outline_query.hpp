// Asks clang for a text's outline.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/text/outline.hpp"

namespace assay::metal {

/// What is asked beside what a kernel is and uses.
struct Asked {
  bool lists = false;  ///< which kernels the text has, and nothing of any; also of a text with errors
  bool syntax = false;
  std::vector<std::pair<std::string, std::string>> macros = {};  ///< names and what they stand for
};

/// Of the kernel `source.function`, in a preprocessed text. Throws as compile() does: the kernel is not
/// there, or its place in the text is unknown.
Outline outline_of(const std::string& text, const device::KernelSource& source, const Asked& asked = {},
                   const Toolchain& tools = toolchain());

/// Refuses a text whose address spaces do not match, and what else is wrong with it. Throws as compile()
/// does.
void refuse_wrong_text(const std::string& text, const device::KernelSource& source,
                       const Toolchain& tools = toolchain());

}  // namespace assay::metal
