// Bodies of kernels that a manifest gives as MLX takes them, joined with what their operation says of the
// tensors.
#pragma once

#include "harness/verify/manifest.hpp"

namespace assay::run {

/// Makes the text around a body and the arguments of its signature: shapes, strides and numbers of axes stand
/// among them where the body names them. Does nothing to an entry whose source is a whole file, or that has
/// been settled. Throws ManifestError.
void settle_mlx_body(KernelEntry& entry);

}  // namespace assay::run
