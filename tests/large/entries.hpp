// Manifest entries for tests of large cases.
#pragma once

#include <filesystem>
#include <string>

#include "harness/verify/manifest.hpp"

namespace assay::properties::testing {

/// An entry of gemm_fp4 with this grid and further lines; its source need not be there.
inline KernelEntry gemm_entry(const std::string& grid, const std::string& more = "") {
  return parse_manifest(
             "[[kernel]]\nname = \"k\"\nsource = \"k.metal\"\noperation = \"gemm_fp4\"\n"
             "arguments = [\"A\", \"B\", \"scales\", \"C\", \"M\", \"N\", \"K\", \"group_size\"]\n"
             "threads_per_threadgroup = 128\ntile = { m = 64, n = 32, k = 16 }\ngrid = " +
                 grid + "\n" + more,
             "k.toml")
      .front();
}

/// The kernels of this repository.
inline std::vector<KernelEntry> our_kernels() {
  return read_manifest(std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels/kernels.toml");
}

}  // namespace assay::properties::testing
