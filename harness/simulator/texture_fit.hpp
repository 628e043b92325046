// Whether a texture is what a kernel's parameter asks for.
#pragma once

#include <string>

#include "assay/device/texture.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::simulator {

/// What the parameter needs and the texture is not, in words; nothing where it fits.
std::string misfit(const metal::TextureParameter& parameter, const device::TextureShape& texture);

}  // namespace assay::simulator
