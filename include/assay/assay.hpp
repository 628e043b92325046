// Assay as a library: kernels from a manifest or described in code, verified as the program verifies them.
//
//   const auto kernels = assay::load_manifest("kernels.toml");
//   const auto result = assay::verify(kernels["fused"], {.cases = 50, .mode = assay::Mode::checked});
//   if (!result) std::cout << result;
//
// gtest.hpp has tests and properties, operation.hpp operations of one's own, device.hpp devices.
#pragma once

#include "assay/kernel.hpp"
#include "assay/launch.hpp"
#include "assay/metal_kernel.hpp"
#include "assay/verify.hpp"
