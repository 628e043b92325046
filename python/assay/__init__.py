"""Assay: Metal kernels on any Linux machine, watched while they run.

    import assay, numpy as np

    y = assay.run(SOURCE, "scale", {"x": x, "n": x.size}, {"y": (x.shape, x.dtype)}, grid=x.size, threads=64)["y"]

A race, an access out of bounds, a read of memory that nobody wrote, or a barrier that not all threads reach is an
exception with a report that names the lines. docs/python.md is the guide.
"""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

from ._kernel import Empty, Kernel, Parameter, Pointer, Sampler, Texture
from .errors import (
    AssayError,
    Crash,
    Deadlock,
    DivergentBarrier,
    Fault,
    MetalError,
    Misaligned,
    NeedsResidency,
    OutOfBounds,
    OverBudget,
    Race,
    Timeout,
    UndefinedOperation,
    UninitialisedRead,
    UnsupportedMetal,
)

__all__ = [
    "AssayError",
    "Crash",
    "Deadlock",
    "DivergentBarrier",
    "Empty",
    "Fault",
    "Kernel",
    "MetalError",
    "Misaligned",
    "NeedsResidency",
    "OutOfBounds",
    "OverBudget",
    "Parameter",
    "Pointer",
    "Race",
    "Sampler",
    "Texture",
    "Timeout",
    "UndefinedOperation",
    "UninitialisedRead",
    "UnsupportedMetal",
    "run",
]


def run(
    source: Union[str, os.PathLike],
    function: Optional[str],
    arguments: Mapping[Union[str, int], Any],
    outputs: Optional[Mapping[Union[str, int], Any]] = None,
    *,
    grid: Union[int, Sequence[int]],
    threads: Union[int, Sequence[int]],
    grid_in: str = "threads",
    mode: str = "checked",
    constants: Optional[Mapping[Union[str, int], Any]] = None,
    defines: Optional[Mapping[str, Any]] = None,
    include_dirs: Sequence[Union[str, os.PathLike]] = (),
    threadgroup_memory: Optional[Mapping[Union[str, int], int]] = None,
    timeout: float = 60,
) -> dict[str, Any]:
    """Compiles a kernel, or takes it as it is compiled, and launches it once: `Kernel(...).run(...)`.

    `Kernel` says what the arguments are, and what is raised.
    """
    kernel = Kernel(
        source,
        function,
        mode=mode,
        constants=constants,
        defines=defines,
        include_dirs=include_dirs,
        timeout=timeout,
    )
    return kernel.run(
        arguments, outputs, grid=grid, threads=threads, grid_in=grid_in, threadgroup_memory=threadgroup_memory
    )
