// The checked variant, under another name as well.
#define assay_msl assay_msl_checked
#define ASSAY_CHECKED 1
#include "assay/metal.h"
#define NAME(x) checked_##x
#include "tests/metal_stdlib/units/matrix_unit_body.h"

extern "C" void checked_uninitialised(float* result) {
  simdgroup_float8x8 m;
  simdgroup_store(m, result);
}
