"""Launches of a test run, written down as a manifest: `pytest --assay-capture DIR`.

For each kernel there is its text, an entry whose shapes, grid and values fit all launches that were seen, and the inputs
of a few of them. Sizes that differ from launch to launch become dimensions; what never varied is a constant, and a
comment says so.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np
import tomli_w

#: Inputs are kept of so many launches of a kernel, each with sizes of its own, and of so many bytes in all.
_MOST_KEPT, _MOST_BYTES = 4, 1 << 24
_CONSTANTS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

_TYPES = {
    "float16": "half",
    "bfloat16": "bfloat",
    "float32": "float",
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "bool": "bool",
}


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


class Recorder:
    """The kernels of a test run."""

    def __init__(self) -> None:
        self.kernels: dict[str, Captured] = {}
        self._kept: dict[str, tuple[set[Any], int]] = {}
        self.refused: dict[str, str] = {}  #: kernels with what is not captured, and what it is

    def add(self, key: str, name: str, text: str, header: str, entry: Mapping[str, Any], call: Call) -> None:
        kernel = self.kernels.get(key)
        if kernel is None:
            taken = {one.name for one in self.kernels.values()}
            name = re.sub(r"[^A-Za-z0-9_]", "_", name)
            unique = next(one for one in itertools.chain([name], (f"{name}_{i}" for i in itertools.count(2))) if one not in taken)
            kernel = self.kernels[key] = Captured(unique, text, header, dict(entry))
            self._kept[key] = (set(), 0)
        kernel.calls.append(call)
        shapes, size = self._kept[key]
        shape = tuple((one.name, one.shape) for one in call.arrays.values())
        own = sum(one.content.nbytes for one in call.arrays.values() if one.content is not None)
        if shape in shapes or len(shapes) >= _MOST_KEPT or size + own > _MOST_BYTES:
            for one in call.arrays.values():
                if one.content is not None:
                    one.content = _limits(one.content)
        else:
            self._kept[key] = (shapes | {shape}, size + own)

    def write(self, folder: Path) -> list[str]:
        """Writes all of it into a folder. Returns a line for each kernel."""
        folder.mkdir(parents=True, exist_ok=True)
        lines, parts = [], ["# Kernels of a test run: what its launches have in common. Go through it before you rely on it.\n"]
        for kernel in self.kernels.values():
            (folder / f"{kernel.name}.metal").write_text(kernel.text, encoding="utf-8")
            if kernel.header:
                (folder / f"{kernel.name}.header.metal").write_text(kernel.header, encoding="utf-8")
            written = _Entry(kernel)
            parts.append(written.text())
            files = _write_inputs(folder, kernel)
            lines.append(
                f"{kernel.name}: {len(kernel.calls)} launch{'es' * (len(kernel.calls) != 1)}, dimensions "
                f"{', '.join(written.dimensions)}" + (f", {files} files of inputs" if files else "")
            )
        lines += [f"{name}: not captured: {why}" for name, why in self.refused.items()]
        (folder / "kernels.toml").write_text("\n".join(parts), encoding="utf-8")
        return lines


def _limits(content: np.ndarray) -> np.ndarray:
    """The least and the largest element: what is kept of an array whose elements are not."""
    flat = np.asarray(content).reshape(-1)
    return np.asarray([flat.min(), flat.max()]) if flat.size else flat


def _write_inputs(folder: Path, kernel: Captured) -> int:
    try:
        from safetensors.numpy import save_file
    except ImportError:
        return 0
    count = 0
    for call in kernel.calls:
        inputs = {one.name: one for one in call.arrays.values() if one.content is not None}
        whole = all(tuple(one.content.shape) == one.shape for one in inputs.values())
        if not inputs or not whole or any(one.dtype == "bfloat16" for one in inputs.values()) or count == _MOST_KEPT:
            continue
        count += 1
        (folder / "inputs").mkdir(exist_ok=True)
        made = {name: np.ascontiguousarray(one.content) for name, one in inputs.items()}
        save_file(made, str(folder / "inputs" / f"{kernel.name}-{count}.safetensors"))
    return count


def record(
    recorder: Recorder,
    kernel: Any,
    launch: Any,
    grid: Sequence[int],
    threads: Sequence[int],
    grid_in: str,
    memory: Mapping[Any, int],
    shapes: Optional[Mapping[int, tuple[int, ...]]] = None,
) -> None:
    """A launch of `Kernel.run` or of PyTorch's way to call: what `launch` has bound, before it runs."""
    source = kernel._request["source"]
    text = Path(source["file"]).read_text(encoding="utf-8") if source["file"] else source["text"]["text"]
    if launch.textures or launch.samplers or launch.pointers:
        recorder.refused[kernel.function] = "it has textures, samplers or pointers"
        return
    known = {one.index: one for one in kernel.parameters if one.kind in ("buffer", "value")}
    arrays, values = {}, {}
    for one in launch.buffers:
        shape = (shapes or {}).get(one.index, one.shape)
        use = {"read": "in", "change": "inout", "fill": "out"}[one.use]
        if one.dtype.name not in _TYPES:
            recorder.refused[kernel.function] = f"{known[one.index].name} holds {one.dtype.name}"
            return
        content = None
        if use != "out" and math.prod(shape) * one.dtype.itemsize == one.bytes.size:
            content = one.bytes.view(one.dtype).reshape(shape).copy()
        arrays[one.index] = Seen(known[one.index].name, use, tuple(shape), one.dtype.name, content)
    for index, content in launch.values:
        parameter = known[index]
        numbers = tuple(
            np.frombuffer(content, _dtype(kind), 1, offset)[0].item() for _, kind, offset in parameter.fields
        )
        values[index] = (parameter.name, tuple(kind for _, kind, _ in parameter.fields), numbers)
    entry: dict[str, Any] = {
        "function": kernel.function,
        "threads_per_threadgroup": list(threads),
        "grid_unit": grid_in,
    }
    if source["defines"]:
        entry["defines"] = source["defines"]
    if source["constants"] and all(one.isdigit() for one in source["constants"]):
        entry["function_constants"] = source["constants"]
    indices = {one.name: one.index for one in kernel.parameters if one.kind == "threadgroup"}
    sizes = {indices.get(key, key): int(size) for key, size in memory.items()}
    call = Call(arrays, values, tuple(grid), tuple(sizes.get(i, 16) for i in range(max(sizes, default=-1) + 1)))
    kinds = [(index, one.use, one.dtype, len(one.shape)) for index, one in sorted(arrays.items())]
    key = repr((text, sorted(entry.items(), key=str), kinds, sorted(values)))
    recorder.add(key, kernel.function, text, "", entry, call)


def record_mlx(
    recorder: Recorder,
    name: str,
    body: str,
    header: str,
    mlx: Mapping[str, Any],
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[tuple[str, Sequence[int], np.dtype]],
    grid: Sequence[int],
    threads: Sequence[int],
    init_value: Optional[float],
) -> None:
    """A launch of MLX's way to call."""
    arrays: dict[int, Seen] = {}
    for key, one in inputs.items():
        arrays[len(arrays)] = Seen(key, "in", one.shape, one.dtype.name, np.array(one))
    for key, shape, dtype in outputs:
        arrays[len(arrays)] = Seen(key, "out", tuple(shape), dtype.name)
    for one in arrays.values():
        if one.dtype not in _TYPES or any(size == 0 for size in one.shape) or 0 in grid:
            recorder.refused[name] = f"{one.name} is {one.dtype}, {list(one.shape)}"
            return
    entry: dict[str, Any] = {
        "source_kind": "mlx_body",
        "input_names": list(inputs),
        "output_names": [key for key, _, _ in outputs],
        "threads_per_threadgroup": [int(one) for one in threads],
    }
    if mlx["template"]:
        entry["template"] = {
            key: value if kind == "dtype" else value == "true" if kind == "bool" else int(value)
            for key, kind, value in mlx["template"]
        }
    if mlx["atomic_outputs"]:
        entry["atomic_outputs"] = True
    if init_value is not None:
        entry["init_value"] = float(init_value)
    kinds = [(one.name, one.dtype, len(one.shape)) for one in arrays.values()]
    key = repr((body, header, sorted(entry.items(), key=str), kinds))
    recorder.add(key, name, body, header, entry, Call(arrays, {}, tuple(int(one) for one in grid), ()))


def _dtype(kind: str) -> np.dtype:
    from . import _arrays

    return _arrays.dtype_of(kind)


class _Entry:
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
                made: dict[str, Any] = {"name": one.name, "type": _TYPES[one.dtype], "shape": shape}
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
