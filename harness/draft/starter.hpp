// Files to start from: a kernel, what is right for it, and the manifest that names both.
#pragma once

#include <string>
#include <vector>

namespace assay::draft {

struct StarterFile {
  std::string name, text;
};

/// A manifest `kernels.toml`, a kernel and its reference, which `assay verify` passes as they are.
std::vector<StarterFile> starter_files();

}  // namespace assay::draft
