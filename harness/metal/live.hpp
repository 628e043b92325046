// What of a text its kernel uses.
#pragma once

#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/token.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::metal {

/// Which tokens of a preprocessed text belong to the kernel, and to what it uses, less those of pieces that
/// nobody wrote (device::SourcePiece). Throws as compile() does: the kernel is not there, or wrong.
std::vector<bool> live_tokens(const TokenText& text, const device::KernelSource& source,
                              const Toolchain& tools = toolchain());

/// Refuses a text whose address spaces do not match, and what else is wrong with it. Throws as compile()
/// does.
void refuse_wrong_text(const std::string& text, const device::KernelSource& source,
                       const Toolchain& tools = toolchain());

}  // namespace assay::metal
