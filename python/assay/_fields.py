"""Dimensions, tensors and arguments in short, as the fields that a manifest has."""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from ._kernel import Kernel


def listed(dimensions: Any) -> list[Any]:
    if isinstance(dimensions, Mapping):
        for name, spec in dimensions.items():
            if spec is not None and not isinstance(spec, Mapping):
                raise TypeError(f"dimension {name} is a table of its fields, such as {{'largest': 64}}, not {spec!r}")
        return [{"name": name, **(spec or {})} for name, spec in dimensions.items()]
    found = dimensions.split() if isinstance(dimensions, str) else list(dimensions) if isinstance(dimensions, (list, tuple)) else [None]
    if not all(isinstance(one, (str, Mapping)) for one in found):
        raise TypeError(f"dimensions are names, or tables of fields by name, not {dimensions!r}")
    return found


def dimension(one: Any) -> dict[str, Any]:
    return {"name": one} if isinstance(one, str) else dict(one)


_SHORT = re.compile(r"\s*([a-z]+)\s*\[(.*)\]\s*((?::[^:]+)*)\s*")


def tensor_of(name: str, spec: Any) -> dict[str, Any]:
    """As a manifest has it: a table of its fields, or in short "half[M, N]", "float[M]:out", "uint[T]:below=N"."""
    if isinstance(spec, Mapping):
        return {"name": name, **spec}
    found = _SHORT.fullmatch(spec) if isinstance(spec, str) else None
    if found is None:
        raise ValueError(f"{name} is 'type[extents]', such as 'half[M, N]' or 'float[M]:out', not {spec!r}")
    kind, extents, words = found.groups()
    made: dict[str, Any] = {"name": name, "type": kind, "shape": []}
    for extent in filter(None, (one.strip() for one in _split(extents))):
        made["shape"].append(int(extent) if extent.isdigit() else extent)
    for word in filter(None, (one.strip() for one in words.split(":"))):
        if word in ("in", "out", "inout"):
            made["access"] = word
        else:
            made["values"] = _values(word)
    return made


def _split(extents: str) -> list[str]:
    parts, depth = [""], 0
    for letter in extents:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _values(word: str) -> Any:
    if word.startswith("below="):
        return {"below": word[6:]}
    if ".." in word:
        low, high = word.split("..", 1)
        return {"from": float(low), "to": float(high)}
    if "|" in word:
        return {"one_of": [float(one) if "." in one else int(one) for one in word.split("|")]}
    try:
        return float(word)
    except ValueError:
        return word


def three(grid: Any) -> list[Any]:
    if not isinstance(grid, (int, str, list, tuple)):
        raise TypeError(f"a grid is one to three numbers or expressions, not {grid!r}")
    sides = list(grid) if isinstance(grid, (list, tuple)) else [grid]
    return sides + [1] * (3 - len(sides))


def arguments_of(kernel: Kernel, dims: Mapping[str, Any], specs: Sequence[Mapping[str, Any]]) -> list[Any]:
    """One for each buffer index, by the names of the kernel's parameters."""
    known = {one["name"] for one in specs}
    found: list[Any] = []
    for one in sorted((one for one in kernel.parameters if one.kind in ("buffer", "value")), key=lambda one: one.index):
        found += ["-"] * (one.index - len(found))
        if one.name in known:
            found.append(one.name)
        elif one.name in dims:
            found.append(f"{one.name}:{one.memory.type}" if one.memory.is_scalar and one.memory.type != "uint" else one.name)
        else:
            there = ", ".join([*known, *dims])
            raise ValueError(f"{kernel.function} takes {one.name}, which is none of {there}; say by `arguments` what each index is given")
    return found
