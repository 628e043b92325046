// What a struct in memory (an argument buffer) holds of a texture, a sampler or another handle of the device.
#pragma once
#include "assay/runtime.h"

namespace assay_msl {

/// Eight bytes, which can be copied. Lowering writes it in place of the type (harness/metal/handles.hpp);
/// nothing can be read through it.
struct handle_in_memory {
  ulong id;
};

}  // namespace assay_msl
