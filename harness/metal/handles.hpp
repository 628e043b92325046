// Textures, samplers and other handles of the device in memory: the members of argument buffers.
#pragma once

#include "harness/metal/declaration.hpp"
#include "harness/metal/signature.hpp"

namespace assay::metal {

/// A member of a struct that the kernel's parameters lead to, and that is a handle of the device, has no
/// bytes here that a launch could write. Throws UnsupportedFeature for one that the text names; one that
/// nothing names becomes eight bytes (handle_in_memory of stdlib/metal/handle.h).
void write_handles(TokenText& text, const std::vector<Declaration>& declarations, const Declaration& kernel,
                   const KernelInstantiation* instantiation);

}  // namespace assay::metal
