// The text of a reference, compiled as kernels are: confined, looked at before it is loaded, and kept in the
// cache.
#pragma once

#include <string>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/verify/stated_operation.hpp"

namespace assay::oracle {

/// How kernels compute whose results a reference bounds.
struct ReferenceMath {
  bool half_sums = false;  ///< they sum in half
  bool precise = false;    ///< functions are those of precise math
  bool flushed = false;    ///< subnormals may be flushed to zero
  bool operator==(const ReferenceMath&) const = default;
};

/// The bytes of the shared object, whose entry point takes an assay_reference::Call. Throws
/// metal::CompileError and metal::UnsupportedFeature with the place in the reference's text, and
/// metal::ToolchainError.
std::string compile_reference(const StatedOperation& stated, const ReferenceMath& math,
                              const metal::Toolchain& tools);

}  // namespace assay::oracle
