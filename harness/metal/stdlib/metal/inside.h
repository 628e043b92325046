// Indices of the library's own operators in checked mode. Those of arrays are clang's to check
// (harness/metal/clang/subscripts.hpp).
#pragma once
#include "metal/type_traits.h"

namespace assay_msl {

#ifdef ASSAY_CHECKED
template <class I>
ASSAY_INLINE constexpr I index_below(size_t count, I index) {
  if (size_t(index) >= count) assay_no_element(long(index), count, assay_here());
  return index;
}

/// Around the index of an operator: the place is that of its caller.
#define ASSAY_INDEX(count, index) index_below(count, index)
#else
#define ASSAY_INDEX(count, index) index
#endif

}  // namespace assay_msl
