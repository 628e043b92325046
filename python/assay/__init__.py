"""Assay: Metal kernels on any Linux machine, watched while they run.

    import assay, numpy as np

    y = assay.run(SOURCE, "scale", {"x": x, "n": x.size}, {"y": (x.shape, x.dtype)}, grid=x.size, threads=64)["y"]

A race, an access out of bounds, a read of memory that nobody wrote, or a barrier that not all threads reach is an
exception with a report that names the lines. docs/python.md is the guide.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import reference as reference
from ._kernel import Empty, Kernel, Parameter, Pointer, Sampler, Texture
from ._launch import Problem
from ._manifest import Manifest, StatedKernel
from ._manifest import stated as _stated
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


def load(manifest: Union[str, os.PathLike]) -> Manifest:
    """The kernels of a kernels.toml: `assay.load("kernels.toml")["rms_norm"].verify()`."""
    return Manifest(manifest)


def stated(
    source: Union[str, os.PathLike],
    function: Optional[str] = None,
    reference: Optional[Union[Callable[..., Any], str, os.PathLike]] = None,
    *,
    dimensions: Any,
    tensors: Mapping[str, Any],
    threads: Union[int, Sequence[int]],
    grid: Any,
    grid_in: str = "threads",
    arguments: Optional[Sequence[Any]] = None,
    fill: str = "",
    operation: Optional[Mapping[str, Any]] = None,
    entry: Optional[Mapping[str, Any]] = None,
) -> StatedKernel:
    """A kernel with what it computes, to be verified and mutated.

    Args:
        source, function: as `Kernel` has them.
        reference: takes inputs and dimensions by their names and gives the outputs, in the order of `tensors` or by
            name. It is called once, with arrays and sizes that are names, and computes with NumPy's operators and
            functions and those of `assay.reference`; from these the set of right answers is derived. Or the path of
            a reference in C++. None: results are not judged, all else is.
        dimensions: names, or tables of the fields of a manifest: {"M": {"largest": 64}, "N": None}, "M N".
        tensors: by name "half[M, N]", "float[M]:out", "uint[T]:below=N", or tables of the fields of a manifest.
        threads: of a threadgroup.
        grid: one to three numbers or expressions over dimensions, of threads; of threadgroups with
            `grid_in="threadgroups"`. Or "tiles", "rows", "elements".
        arguments: what each buffer index is given (docs/manifest.md, "Arguments"); None: the tensors and dimensions of
            the parameters' names.
        fill: `void fill(Draw& draw)` in C++, where not all bytes of an input mean something (docs/own_operation.md,
            "Layouts").
        operation, entry: further fields of an operation and of a kernel's entry in a manifest: {"math": "precise"},
            {"requires": {"N_max": 4096}}.

    Raises:
        ValueError, TypeError: for what does not fit together, in a sentence.
        MetalError, UnsupportedMetal: for a text that is no Metal, or has what Assay has not.
    """
    return _stated(
        source,
        function,
        dimensions=dimensions,
        tensors=tensors,
        reference=reference,
        threads=threads,
        grid=grid,
        grid_in=grid_in,
        arguments=arguments,
        fill=fill,
        operation=operation or {},
        entry=entry or {},
    )


def verify(
    source: Union[str, os.PathLike],
    function: Optional[str] = None,
    reference: Optional[Union[Callable[..., Any], str, os.PathLike]] = None,
    *,
    check: bool = True,
    dimensions: Any,
    tensors: Mapping[str, Any],
    threads: Union[int, Sequence[int]],
    grid: Any,
    grid_in: str = "threads",
    arguments: Optional[Sequence[Any]] = None,
    fill: str = "",
    operation: Optional[Mapping[str, Any]] = None,
    entry: Optional[Mapping[str, Any]] = None,
    **options: Any,
) -> Verified:
    """`stated(...).verify(check=check, **options)`: a kernel against its reference on generated cases, in all modes.

    Raises:
        Fault: of its kind (WrongResult, Race, ...) with the report of the shrunk case, unless `check` is False.
    """
    kernel = stated(
        source,
        function,
        reference,
        dimensions=dimensions,
        tensors=tensors,
        threads=threads,
        grid=grid,
        grid_in=grid_in,
        arguments=arguments,
        fill=fill,
        operation=operation,
        entry=entry,
    )
    return kernel.verify(check=check, **options)
