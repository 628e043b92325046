"""Assay: Metal kernels on any Linux machine, watched while they run.

    import assay, numpy as np

    y = assay.run(SOURCE, "scale", {"x": x, "n": x.size}, {"y": (x.shape, x.dtype)}, grid=x.size, threads=64)["y"]

A race, an access out of bounds, a read of memory that nobody wrote, or a barrier that not all threads reach is an
exception with a report that names the lines. docs/python.md is the guide.
"""

from __future__ import annotations

import inspect
import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import reference as reference
from ._kernel import Empty, Kernel, Parameter, Pointer, Sampler, Texture
from ._launch import Problem
from ._manifest import Manifest, StatedKernel, stated
from ._program import Mode, Mutated, Verified
from .errors import (
    AssayError,
    ClaimDiffers,
    Crash,
    Deadlock,
    DivergentBarrier,
    Fault,
    LawBroken,
    MetalError,
    Misaligned,
    NeedsResidency,
    NotJudged,
    OutOfBounds,
    OverBudget,
    Race,
    Timeout,
    UndefinedOperation,
    UninitialisedRead,
    UnsupportedMetal,
    WrongResult,
)

__all__ = [
    "AssayError",
    "ClaimDiffers",
    "Crash",
    "Deadlock",
    "DivergentBarrier",
    "Empty",
    "Fault",
    "Kernel",
    "LawBroken",
    "Manifest",
    "MetalError",
    "Misaligned",
    "Mode",
    "Mutated",
    "NeedsResidency",
    "NotJudged",
    "OutOfBounds",
    "OverBudget",
    "Parameter",
    "Pointer",
    "Problem",
    "Race",
    "Sampler",
    "StatedKernel",
    "Texture",
    "Timeout",
    "UndefinedOperation",
    "UninitialisedRead",
    "UnsupportedMetal",
    "Verified",
    "WrongResult",
    "load",
    "reference",
    "run",
    "stated",
    "verify",
]


def run(
    source: Union[str, os.PathLike],
    function: Optional[str],
    arguments: Mapping[Any, Any],
    outputs: Optional[Mapping[Any, Any]] = None,
    *,
    grid: Union[int, Sequence[int]],
    threads: Union[int, Sequence[int]],
    grid_in: str = "threads",
    mode: str = "checked",
    constants: Optional[Mapping[Any, Any]] = None,
    defines: Optional[Mapping[str, Any]] = None,
    include_dirs: Sequence[Union[str, os.PathLike]] = (),
    threadgroup_memory: Optional[Mapping[Any, int]] = None,
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


def load(manifest: Union[str, os.PathLike]) -> Manifest:
    """The kernels of a kernels.toml: `assay.load("kernels.toml")["rms_norm"].verify()`."""
    return Manifest(manifest)


def verify(
    source: Union[str, os.PathLike],
    function: Optional[str] = None,
    reference: Optional[Union[Callable[..., Any], str, os.PathLike]] = None,
    *,
    check: bool = True,
    **named: Any,
) -> Verified:
    """`stated(...).verify(check=check, ...)`: a kernel against its reference on generated cases, in all modes.

    Args:
        source, function, reference: as `stated` has them; so are `named` of its parameters' names.
        check: raise what is found; False: give back a result that is false.
        named: other names are options of `assay verify`: cases=50, seed=2, mode="fast", at={"M": 1}, report="page".

    Raises:
        Fault: of its kind (WrongResult, Race, ...) with the report of the shrunk case, unless `check` is False.
    """
    known = inspect.signature(stated).parameters
    fields = {key: value for key, value in named.items() if key in known}
    options = {key: value for key, value in named.items() if key not in known}
    return stated(source, function, reference, **fields).verify(check=check, **options)
