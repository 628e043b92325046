// numeric_limits of vectors: those of the element, in all components.
#pragma once
#include "metal/limits.h"
#include "metal/vec.h"

namespace assay_msl {

template <class T, int N>
struct numeric_limits<vec<T, N>> : numeric_limits<T> {
#define ASSAY_LIMIT(name) \
  static constexpr vec<T, N> name() { return vec<T, N>(numeric_limits<T>::name()); }
  ASSAY_LIMIT(min)
  ASSAY_LIMIT(lowest)
  ASSAY_LIMIT(max)
  ASSAY_LIMIT(epsilon)
  ASSAY_LIMIT(infinity)
  ASSAY_LIMIT(quiet_NaN)
  ASSAY_LIMIT(denorm_min)
#undef ASSAY_LIMIT
};

}  // namespace assay_msl
