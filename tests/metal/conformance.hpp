// The conformance kernels: each file is named after the features of the language that it exercises, and
// sources/conformance/README.md says which test asserts what of each.
#pragma once

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {

/// A kernel of tests/metal/sources/conformance/`file`.metal.
inline KernelRun conformance_kernel(const std::string& file, const std::string& function) {
  return {source_path("conformance/" + file + ".metal"), function};
}

/// Where a kernel's result does not depend on the mode, the one that sees more is enough.
#define ASSAY_CHECKED_MODE(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::Values(Setting{simulator::Mode::checked}), setting_name)

}  // namespace assay::metal
