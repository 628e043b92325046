// Scalars as a kernel reads them: the bytes of a constant argument.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "assay/tensor.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// The bytes of `argument` laid out as Metal lays out a struct of these fields. Fields that are tensors are
/// found among `inputs`. Throws ManifestError when a value does not fit its type.
std::vector<std::byte> pack_scalars(const KernelEntry& entry, const std::string& field,
                                    const ScalarArgument& argument, const Dims& dims,
                                    std::span<const Tensor> inputs = {});

}  // namespace assay
