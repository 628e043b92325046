#include "assay/metal.h"
#define NAME(x) whole_##x
#include "tests/metal_stdlib/units/matrix_unit_body.h"
