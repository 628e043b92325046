// Products of tensors: matmul2d is there where a kernel uses it (assay/metal.h), the rest is refused there.
