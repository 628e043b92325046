"""Launches of a kernel as its manifest describes them, on arrays of one's own."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

import numpy as np

from . import _arrays
from ._extents import extent_of
from ._kernel import Empty, Kernel

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass
class Problem:
    """Sizes and inputs of a launch: a value for each dimension, an array for each input, by name."""

    dims: dict[str, int]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A kernel's entry in a manifest, with the operation that it states or names."""

    folder: Path
    kernel: Mapping[str, Any]
    dimensions: tuple[dict[str, Any], ...]
    tensors: tuple[dict[str, Any], ...]
    operation: Mapping[str, Any]  #: other fields of it

    def shape(self, tensor: Mapping[str, Any], dims: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(value_of(extent, dims) for extent in tensor["shape"])


def entry_of(manifest: Path, name: str) -> Entry:
    tables = tomllib.loads(manifest.read_text(encoding="utf-8"))
    kernel = next(one for one in tables["kernel"] if one.get("name") == name)
    stated = next((one for one in tables.get("operation", []) if one["name"] == kernel.get("operation")), kernel)
    if "tensors" not in stated:
        raise ValueError(
            f"{name} computes {kernel.get('operation')}, whose values are the program's own; problems and launches are for "
            "operations that a manifest states"
        )
    dimensions = tuple({"name": one} if isinstance(one, str) else dict(one) for one in stated["dimensions"])
    known = ("name", "reference", "dimensions", "tensors")
    others = {key: value for key, value in stated.items() if key not in known and (stated is not kernel or key == "launches")}
    return Entry(manifest.parent, kernel, dimensions, tuple(dict(one) for one in stated["tensors"]), others)


def value_of(expression: Any, dims: Mapping[str, int]) -> int:
    """What an expression of the manifest is: a number, "N", "K/32", "ceil(N/4)", "kv_heads * group"."""
    return int(extent_of(expression, dims))


_ARGUMENT = re.compile(r"(=?)([^:]+?)(?::([a-z]+))?")


def launch(entry: Entry, problem: Problem, mode: str) -> dict[str, Any]:
    """Outputs by name, as `Kernel.run` gives them."""
    kernel = entry.kernel
    for refused in ("source_kind", "textures", "samplers", "text_prefix"):
        if refused in kernel:
            raise ValueError(f"{kernel['name']} has {refused}, which a launch on arrays of one's own does not know")
    loaded = Kernel(
        entry.folder / kernel["source"],
        kernel.get("function", kernel["name"]),
        mode=mode,
        constants=kernel.get("function_constants"),
        defines=kernel.get("defines"),
        include_dirs=[entry.folder / one for one in kernel.get("include_dirs", ())],
    )
    tensors = {one["name"]: one for one in entry.tensors}
    arguments: dict[Any, Any] = {}
    outputs: dict[Any, Any] = {}
    for index, given in enumerate(kernel["arguments"]):
        found = _ARGUMENT.fullmatch(given) if isinstance(given, str) else None
        if isinstance(given, (int, float)):
            arguments[index] = given
        elif given == "-":
            continue
        elif given in tensors and tensors[given].get("access") == "out":
            spec = tensors[given]
            outputs[index] = Empty(entry.shape(spec, problem.dims), _arrays.dtype_of(spec["type"]))
        elif given in tensors:
            if given not in problem.arrays:
                raise ValueError(f"the problem has no array {given}")
            arguments[index] = problem.arrays[given]
        elif found and (found[1] or found[2] in problem.dims):
            arguments[index] = value_of(found[2], problem.dims)
        else:
            raise ValueError(
                f"argument {index} of {kernel['name']}, {given!r}, is neither a tensor nor a dimension, which is all that a "
                "launch on arrays of one's own knows"
            )
    grid = kernel["grid"]
    if isinstance(grid, str):
        raise ValueError(f"the grid of {kernel['name']} is {grid!r}; a launch on arrays of one's own takes expressions")
    memory = {index: value_of(one, problem.dims) for index, one in enumerate(kernel.get("threadgroup_memory", ()))}
    return loaded.run(
        arguments,
        outputs,
        grid=[value_of(one, problem.dims) for one in grid],
        threads=kernel["threads_per_threadgroup"],
        grid_in=kernel.get("grid_unit", "threadgroups"),
        threadgroup_memory=memory,
    )
