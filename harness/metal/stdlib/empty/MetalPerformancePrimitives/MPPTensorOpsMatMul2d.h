// Metal 4 tensors: their names are refused where a kernel uses one. Read as part of the kernel's text.
#pragma once
namespace mpp {
namespace tensor_ops {}
}
