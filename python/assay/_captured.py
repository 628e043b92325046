"""What launches of a kernel have in common, as its entry in a manifest: sizes that differ are dimensions."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Sequence

import numpy as np
import tomli_w

from . import _arrays

_CONSTANTS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

#: Metal's name of each element type of NumPy's that a manifest knows.
TYPES = {name: metal for metal, name in _arrays.DTYPES.items() if metal not in ("long", "ulong")}


@dataclass
class Seen:
    """An array of a launch."""

    name: str
    use: str  #: "in", "out" or "inout"
    shape: tuple[int, ...]
    dtype: str
    content: Optional[np.ndarray] = None  #: of an input


@dataclass
class Call:
    """A launch: what each buffer index was given, and its sizes."""

    arrays: dict[int, Seen]
    values: dict[int, tuple[str, tuple[str, ...], tuple[Any, ...]]]  #: name, types and numbers of its fields
    grid: tuple[int, ...]
    memory: tuple[int, ...]


@dataclass
class Captured:
    """All launches of one kernel with the same types and threads."""

    name: str
    text: str
    header: str
    entry: dict[str, Any]  #: what no launch decides
    calls: list[Call] = field(default_factory=list)
    left_out: int = 0  #: launches that hold what a manifest of this kind does not


class Entry:
    """The manifest's entry of a kernel: which sizes are dimensions, and what is computed from them."""

    def __init__(self, kernel: Captured) -> None:
        self.kernel = kernel
        self.dimensions: dict[str, tuple[int, ...]] = {}  # what each was in each launch
        self.fixed: list[str] = []
        self.unexplained: list[str] = []
        self._find_dimensions()

    # --- Dimensions

    def _axes(self, use: Sequence[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """A name and the extents over all launches, of each axis of arrays with that use."""
        first = self.kernel.calls[0]
        for index, one in first.arrays.items():
            if one.use in use:
                for axis in range(len(one.shape)):
                    yield f"{one.name}_{axis}", self._extents(index, axis)

    def _extents(self, index: int, axis: int) -> tuple[int, ...]:
        return tuple(call.arrays[index].shape[axis] for call in self.kernel.calls)

    def _numbers(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """A name and the numbers over all launches, of each whole number that is passed by value."""
        for index, (name, types, numbers) in self.kernel.calls[0].values.items():
            for place, kind in enumerate(types):
                if isinstance(numbers[place], int) and kind not in ("bool",):
                    label = name if len(types) == 1 else f"{name}_{place}"
                    yield label, tuple(call.values[index][2][place] for call in self.kernel.calls)

    def _find_dimensions(self) -> None:
        sizes = list(self._axes(("in", "inout"))) + list(self._axes(("out",)))
        extents = {seen for _, seen in sizes}
        named = [(name, seen) for name, seen in self._numbers() if _varies(seen)]
        # Numbers that are sizes of arrays name them; of the others, what is not computed from sizes is a dimension.
        for name, seen in [one for one in named if one[1] in extents] + sizes + named:
            if _varies(seen) and min(seen) > 0 and self.expression(seen) is None:
                self._add(name, seen)
        if not self.dimensions:
            name, seen = (sizes + [("size", (self.kernel.calls[0].grid[0],) * len(self.kernel.calls))])[0]
            self._add(name, seen)

    def _add(self, name: str, seen: tuple[int, ...]) -> None:
        taken = {one.name for one in self.kernel.calls[0].arrays.values()} | set(self.dimensions)
        name = re.sub(r"[^A-Za-z0-9_]", "_", name)
        while name in taken:
            name += "_"
        self.dimensions[name] = seen

    def expression(self, seen: tuple[int, ...]) -> Optional[Any]:
        """What these numbers are over all launches: a number, or an expression over dimensions; None: neither."""
        if not _varies(seen):
            return seen[0]
        for text, values in self._candidates():
            if values == seen:
                return text
        return None

    def _candidates(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Expressions, simple ones first, with their values."""
        dims = list(self.dimensions.items())
        yield from dims
        for name, seen in dims:
            for c in _CONSTANTS:
                if all(one % c == 0 for one in seen):
                    yield f"{name}/{c}", tuple(one // c for one in seen)
                yield f"ceil({name}/{c})", tuple(-(-one // c) for one in seen)
                yield f"{name} * {c}", tuple(one * c for one in seen)
                yield f"ceil({name}/{c}) * {c}", tuple(-(-one // c) * c for one in seen)
            for c in range(1, 5):
                yield f"{name} + {c}", tuple(one + c for one in seen)
                yield f"{name} - {c}", tuple(one - c for one in seen)
        for count in (2, 3, 4):
            for some in itertools.combinations(dims, count):
                yield " * ".join(name for name, _ in some), tuple(math.prod(one) for one in zip(*(seen for _, seen in some)))
        for (a, of_a), (b, of_b) in itertools.permutations(dims, 2):
            for c in _CONSTANTS:
                yield f"ceil({a}/{c}) * {b}", tuple(-(-one // c) * other for one, other in zip(of_a, of_b))
                yield f"{a} * {b} * {c}", tuple(one * other * c for one, other in zip(of_a, of_b))
            if all(one % other == 0 for one, other in zip(of_a, of_b)):
                yield f"{a}/{b}", tuple(one // other for one, other in zip(of_a, of_b))
        for c in range(1, 65):
            for name, seen in dims:
                yield f"{name} * {c}", tuple(one * c for one in seen)

    def _said(self, what: str, seen: tuple[int, ...]) -> Any:
        """The expression for the manifest; what is constant, and what nothing explains, is noted."""
        found = self.expression(seen)
        if found is None:
            self.unexplained.append(f"{what} was {_in_turn(seen)}, which no expression over {', '.join(self.dimensions)} fits")
            return max(seen)
        constant = next((name for name, known in self.dimensions.items() if known == seen), None) if isinstance(found, int) else None
        if constant is not None:
            return constant
        if isinstance(found, int) and found > 1:
            self.fixed.append(f"{what} = {found}")
        return found

    # --- The entry

    def text(self) -> str:
        kernel, first = self.kernel, self.kernel.calls[0]
        tensors, arguments = [], []
        for index in sorted({*first.arrays, *first.values}):
            if len(kernel.entry.get("input_names", ())) == 0:
                arguments += ["-"] * (index - len(arguments))
            if index in first.arrays:
                one = first.arrays[index]
                shape = [self._said(f"axis {axis} of {one.name}", self._extents(index, axis)) for axis in range(len(one.shape))]
                made: dict[str, Any] = {"name": one.name, "type": TYPES[one.dtype], "shape": shape}
                if one.use != "in":
                    made["access"] = one.use
                values = self._values(index)
                if values is not None and one.use != "out":
                    made["values"] = values
                tensors.append(made)
                arguments.append(one.name)
            else:
                arguments.append(self._argument(index))
        grid = [self._said(f"side {'xyz'[i]} of the grid", tuple(call.grid[i] for call in kernel.calls)) for i in range(3)]
        entry: dict[str, Any] = {
            "name": kernel.name,
            "source": f"{kernel.name}.metal",
            **kernel.entry,
            "dimensions": [self._dimension(name, seen) for name, seen in self.dimensions.items()],
            "tensors": tensors,
            "arguments": arguments,
            "grid": grid,
        }
        if kernel.header:
            entry["header"] = f"{kernel.name}.header.metal"
        if first.memory:
            entry["threadgroup_memory"] = [
                self._said(f"threadgroup memory {i}", tuple(call.memory[i] for call in kernel.calls)) for i in range(len(first.memory))
            ]
        limited = set(re.findall(r"[A-Za-z_]\w*", " ".join(map(str, entry.get("threadgroup_memory", ()))))) & set(self.dimensions)
        if limited:  # a device has little of it
            entry["requires"] = {f"{name}_max": max(self.dimensions[name]) for name in sorted(limited)}
            self.fixed += [f"{name} is {max(self.dimensions[name])} at most" for name in sorted(limited)]
        launches = f"{len(kernel.calls)} launch{'es' * (len(kernel.calls) != 1)}"
        notes = [f"# {launches} of {kernel.name}. No reference says what is right: name one by `operation`."]
        notes += [f"# It never varied: {one}." for one in self.fixed]
        notes += [f"# To be written by hand: {one}." for one in self.unexplained]
        return "\n".join([*notes, tomli_w.dumps({"kernel": [entry]})])

    def _dimension(self, name: str, seen: tuple[int, ...]) -> dict[str, Any]:
        if not _varies(seen):
            self.fixed.append(f"{name} = {seen[0]}")
            return {"name": name, "values": [seen[0]]}
        step = math.gcd(*seen)
        made: dict[str, Any] = {"name": name, "largest": max(seen)}
        if step > 1:
            made["multiple"] = step
            self.fixed.append(f"{name} is a multiple of {step}")
        return made

    def _values(self, index: int) -> Any:
        """What the elements of an input are, as far as launches tell."""
        contents = [call.arrays[index].content for call in self.kernel.calls]
        if any(one is None or one.size == 0 for one in contents):
            return None
        kind = self.kernel.calls[0].arrays[index].dtype
        if self.kernel.calls[0].arrays[index].shape == ():
            return {"one_of": sorted({one.reshape(-1)[0].item() for one in contents})}
        least = min(float(one.astype(np.float64).min()) for one in contents)
        most = max(float(one.astype(np.float64).max()) for one in contents)
        if kind == "bool":
            return None
        if "int" in kind:
            largest = [int(one.max()) for one in contents]
            # Of all dimensions that lie above the elements, the one that lies least above them.
            above = {name: [a - b for a, b in zip(seen, largest)] for name, seen in self.dimensions.items()}
            fits = [name for name, off in above.items() if least >= 0 and min(off) > 0]
            below = min(fits, key=lambda name: sum(above[name]), default=None)
            return {"below": below} if below is not None and most > 0 else {"from": int(least), "to": int(most)}
        return "positive" if least > 0 else None

    def _argument(self, index: int) -> Any:
        _, types, _ = self.kernel.calls[0].values[index]
        fields = []
        for place, kind in enumerate(types):
            numbers = tuple(call.values[index][2][place] for call in self.kernel.calls)
            name = self.kernel.calls[0].values[index][0]
            if all(isinstance(one, int) for one in numbers):
                found = self.expression(numbers)
                if found is None:
                    self.unexplained.append(f"{name} was {_in_turn(numbers)}, which no expression over {', '.join(self.dimensions)} fits")
                    found = numbers[-1]
                fields.append(found if isinstance(found, str) and found in self.dimensions and kind == "uint" else f"={found}:{kind}")
            else:
                if len(set(numbers)) > 1:
                    self.unexplained.append(f"{name} was {_in_turn(numbers)}")
                fields.append(f"={numbers[-1]!r}:{kind}")
        return fields[0] if len(fields) == 1 else fields


def _varies(seen: tuple[int, ...]) -> bool:
    return len(set(seen)) > 1


def _in_turn(seen: Sequence[Any]) -> str:
    known = list(dict.fromkeys(seen))
    return ", ".join(str(one) for one in known[:6]) + (", ..." if len(known) > 6 else "")


def template_table(arguments: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Template arguments of MLX, each a name, a kind and a text, as the manifest has them."""
    return {
        name: text if kind == "dtype" else text == "true" if kind == "bool" else int(text) for name, kind, text in arguments
    }
