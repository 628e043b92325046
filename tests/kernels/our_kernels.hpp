// The kernels of this repository.
#pragma once

#include <filesystem>

namespace assay::cli {

inline const std::filesystem::path kManifest =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels/kernels.toml";

}  // namespace assay::cli
