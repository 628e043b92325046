#include "golden/kept_memory.hpp"

#include <climits>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace assay::golden {

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

}  // namespace assay::golden
