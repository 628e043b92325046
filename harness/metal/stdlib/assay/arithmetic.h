// What passes over IR call in the place of arithmetic that a text has written (harness/metal/ir/contract.hpp,
// quotients.hpp). Nobody else does: what they have no use for, they drop.
#pragma once
#include "metal/math.h"

#define ASSAY_CALLED_BY_PASSES inline __attribute__((used, visibility("hidden")))

extern "C" {

#ifdef ASSAY_CONTRACTED
ASSAY_CALLED_BY_PASSES half assay_called_fused_half(half a, half b, half c) { return assay_msl::fused(a, b, c); }
ASSAY_CALLED_BY_PASSES float assay_called_fused_float(float a, float b, float c) { return assay_msl::fused(a, b, c); }
ASSAY_CALLED_BY_PASSES uint16_t assay_called_fused_bfloat(uint16_t a, uint16_t b, uint16_t c) {
  const bfloat x = assay_msl::bits_as<bfloat>(a), y = assay_msl::bits_as<bfloat>(b), z = assay_msl::bits_as<bfloat>(c);
  return assay_msl::fused(x, y, z).bits;
}
#define ASSAY_OF_BFLOATS(name, op)                                                                                   \
  ASSAY_CALLED_BY_PASSES __attribute__((noinline)) uint16_t assay_called_bfloat_##name(uint16_t a, uint16_t b) { \
    return bfloat(float(assay_msl::bits_as<bfloat>(a)) op float(assay_msl::bits_as<bfloat>(b))).bits;              \
  }
ASSAY_OF_BFLOATS(sum, +)
ASSAY_OF_BFLOATS(difference, -)
ASSAY_OF_BFLOATS(product, *)
#undef ASSAY_OF_BFLOATS
#endif

#ifdef ASSAY_APPROXIMATE
ASSAY_CALLED_BY_PASSES float assay_called_quotient(float a, float b) { return assay_msl::granted::quotient(a, b); }
#endif
}
#undef ASSAY_CALLED_BY_PASSES
