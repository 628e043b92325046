// What <metal_stdlib.h> declares is there without it: see assay/metal.h.
