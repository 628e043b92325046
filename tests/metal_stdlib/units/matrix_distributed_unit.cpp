// The library under another name, since the types of one program must be the same everywhere.
#define assay_msl assay_msl_distributed
#define ASSAY_DISTRIBUTED_MATRICES
#include "assay/metal.h"
#define NAME(x) distributed_##x
#include "tests/metal_stdlib/units/matrix_unit_body.h"

extern "C" void distributed_thread_elements(const float* source, float* result) {
  simdgroup_float8x8 m;
  simdgroup_load(m, source);
  const uint lane = assay_lane->index_in_simdgroup;
  result[2 * lane] = m.thread_elements()[0];
  result[2 * lane + 1] = m.thread_elements()[1];
}
