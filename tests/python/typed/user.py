from typing import Any

import assay  # a file as its users write it: test_typed.py has mypy read it
import numpy as np
from assay.reference import Array, rsqrt


def rms_norm(x: Array, w: Array) -> Array:
    return x * rsqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5) * w + 2 * x[:, ::-1]


given: dict[str, np.ndarray[Any, Any]] = {"x": np.zeros(4)}
results = assay.run("kernel void f() {}", "f", given, {"y": ((4,), "float")}, grid=4, threads=4)
shape: tuple[int, ...] = results["y"].shape
kernel = assay.Kernel("kernel void f() {}", constants={0: True})
kernel.run(given, grid=(1, 2), threads=32, threadgroup_memory={"s": 16})
found = assay.verify("", "f", rms_norm, dimensions="M N", tensors={"x": "half[M, N]"}, threads=32, grid="M")
if found:
    print(found.replay, found.modes[0].coverage)
fault: assay.Fault = assay.Race("x")
