"""Launches of a test run, written down as a manifest: `pytest --assay-capture DIR`.

For each kernel there is its text, an entry whose shapes, grid and values fit all launches that were seen, and the inputs
of a few of them. Sizes that differ from launch to launch become dimensions; what never varied is a constant, and a
comment says so.
"""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from . import _arrays
from ._memory import scalars_of
from ._captured import TYPES, Call, Captured, Entry, Seen, template_table

#: Inputs are kept of so many launches of a kernel, each with sizes of its own, and of so many bytes in all.
_MOST_KEPT, _MOST_BYTES = 4, 1 << 24


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
            written = Entry(kernel)
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


#: A manifest has no scalars of these: their bits.
_SCALARS = {"half": "ushort", "bfloat": "ushort", "bool": "uchar"}


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
        if one.dtype.name not in TYPES:
            recorder.refused[kernel.function] = f"{known[one.index].name} holds {one.dtype.name}"
            return
        content = None
        if use != "out" and math.prod(shape) * one.dtype.itemsize == one.bytes.size:
            content = one.bytes.view(one.dtype).reshape(shape).copy()
        arrays[one.index] = Seen(known[one.index].name, use, tuple(shape), one.dtype.name, content)
    for index, content in launch.values:
        parameter = known[index]
        scalars = [(_SCALARS.get(kind, kind), offset) for kind, offset in scalars_of(parameter.memory)]
        numbers = tuple(np.frombuffer(content, _arrays.dtype_of(kind), 1, offset)[0].item() for kind, offset in scalars)
        values[index] = (parameter.name, tuple(kind for kind, _ in scalars), numbers)
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
        if one.dtype not in TYPES or any(size == 0 for size in one.shape) or 0 in grid:
            recorder.refused[name] = f"{one.name} is {one.dtype}, {list(one.shape)}"
            return
    entry: dict[str, Any] = {
        "source_kind": "mlx_body",
        "input_names": list(inputs),
        "output_names": [key for key, _, _ in outputs],
        "threads_per_threadgroup": [int(one) for one in threads],
    }
    if mlx["template"]:
        entry["template"] = template_table(mlx["template"])
    if mlx["atomic_outputs"]:
        entry["atomic_outputs"] = True
    if init_value is not None:
        entry["init_value"] = float(init_value)
    kinds = [(one.name, one.dtype, len(one.shape)) for one in arrays.values()]
    key = repr((body, header, sorted(entry.items(), key=str), kinds))
    recorder.add(key, name, body, header, entry, Call(arrays, {}, tuple(int(one) for one in grid), ()))
