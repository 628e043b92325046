// What <simd/simd.h> declares is there without it: see assay/metal.h.
