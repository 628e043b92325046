// Argument buffers: structs in memory whose members are pointers to other memory, which a host fills in
// (Apple's Metal Shading Language Specification, section 2.13).
#pragma once

#include <optional>
#include <string>

#include "harness/metal/signature.hpp"

namespace assay::metal {

/// C++, to stand behind the text, that tells assay_entry::shape_of (stdlib/assay/shape.h) the members of each
/// struct that the kernel's parameters lead to. Nothing where they lead to none, and to no pointers. Throws
/// CompileError for an [[id]] that two members of a struct have; UnsupportedFeature for a member that is a
/// texture, a sampler or another handle of the device and that the text names: it has no bytes here that a
/// launch could write. One that nothing names becomes eight bytes (handle_in_memory of
/// stdlib/metal/type_names.h).
std::optional<std::string> describe_argument_buffers(TokenText& text,
                                                     const std::vector<Declaration>& declarations,
                                                     const Declaration& kernel,
                                                     const KernelInstantiation* instantiation);

}  // namespace assay::metal
