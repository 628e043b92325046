"""A launch: arguments in shared memory, what reads and writes them, and the answer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from . import _arrays, errors
from ._arguments import Empty, Key, Parameter, Sampler, Texture, check_dtype
from ._memory import Part, Pointer, Written, dtype_of_part


@dataclass
class Placed:
    """An array on its way to the kernel and back."""

    index: int
    use: str
    bytes: np.ndarray  # one axis, uint8
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    given: Any = None
    offset: int = 0  #: in the shared memory
    part_of: int = -1  #: another one, whose memory this is a part of
    part_offset: int = 0


_MOST_BYTES = 1 << 40

#: What a table of pointers leads to: nobody knows.
_ANY_POINTER = Part("", "pointer", 0, 8, 1, True, ())


def _an_output(key: Key, value: Any) -> Empty:
    if not isinstance(value, Empty):
        raise TypeError(f"output `{key}` is (shape, dtype) or assay.Empty, not {type(value).__name__}")
    return value


def _objects(part: Part, value: Any, called: str, single: bool) -> tuple[np.ndarray, list[Any]]:
    """The bytes of one object, or of each of a list, and the pointers among them."""
    named = hasattr(value, "_asdict")
    several = isinstance(value, (list, tuple)) and not single and not named and not _is_one(part, value)
    objects = [Written(part, one, f"{called}[{i}]" if several else called) for i, one in enumerate(value if several else [value])]
    leads = [(i * part.size + at, *rest) for i, one in enumerate(objects) for at, *rest in one.pointers]
    return np.frombuffer(b"".join(bytes(one.content) for one in objects), np.uint8), leads


def _typed(part: Part, raw: np.ndarray) -> np.ndarray:
    """Bytes as NumPy has such elements, where it has them."""
    dtype = dtype_of_part(part)
    return raw if dtype is None else raw.view(dtype.base).reshape((-1, *dtype.shape))


def _check_texels(texels: str, dtype: np.dtype, called: str) -> None:
    found = re.fullmatch("[rgba]+(8|16|32)(unorm|snorm|uint|sint|float)(?:_srgb)?", texels)
    if not found:
        return  # the program knows what it is, or says what there is
    kind = {"float": "float", "snorm": "int", "sint": "int"}.get(found[2], "uint") + found[1]
    if not dtype.isnative or dtype.name != kind:
        raise TypeError(f"`{called}` has texels {texels}, and the array holds {dtype.name}; pass {kind} elements")


def _is_one(part: Part, value: Any) -> bool:
    """Whether a list is one object, such as a float4, rather than a list of objects."""
    if part.is_scalar and part.count == 1:
        return False
    nested = any(isinstance(one, (list, tuple, Mapping)) or getattr(one, "ndim", 0) > 0 for one in value)
    return len(value) == (len(part.parts) if part.type == "structure" else part.count) and not nested


def _empty(value: Empty, called: str) -> tuple[np.ndarray, str]:
    """Memory as an output begins, and how it is used."""
    shape = tuple(value.shape) if isinstance(value.shape, (list, tuple)) else (value.shape,)
    if any(isinstance(one, bool) or not isinstance(one, (int, np.integer)) or one < 0 for one in shape):
        raise TypeError(f"the shape of `{called}` is whole numbers, not {value.shape!r}")
    dtype = _arrays.dtype_of(value.dtype)
    if math.prod(shape) * dtype.itemsize > _MOST_BYTES:
        raise ValueError(f"`{called}` would have {math.prod(shape) * dtype.itemsize:,} bytes")
    array = np.empty(shape, dtype)
    if value.fill is None:
        return array, "fill"
    if not isinstance(value.fill, (int, float, np.number, np.bool_)):
        raise TypeError(f"`{called}` is filled with a number, not with {type(value.fill).__name__}")
    array.fill(value.fill)
    return array, "change"


class Launch:
    def __init__(self, kernel: Any, arguments: Mapping[Any, Any], outputs: Mapping[Any, Any]) -> None:
        self.kernel = kernel
        self.kind = "numpy"
        self.buffers: list[Placed] = []
        self.values: list[tuple[int, bytes]] = []
        self.pointers: list[tuple[int, int, int]] = []
        self.textures: list[list[Any]] = []
        self.samplers: list[list[Any]] = []
        self.bound: set[Any] = set()
        kinds = [_arrays.kind_of(one) for one in arguments.values() if hasattr(one, "dtype")]
        self.kind = next((one for one in kinds if one != "numpy"), "numpy")
        for key, value in arguments.items():
            self.bind(kernel.parameter(key), value)
        for key, value in outputs.items():
            self.bind(kernel.parameter(key), Empty(*value) if isinstance(value, tuple) and len(value) == 2 else _an_output(key, value))

    def bind(self, parameter: Parameter, value: Any) -> None:
        place = (parameter.kind in ("texture", "sampler", "threadgroup") and parameter.kind, parameter.index)
        if place in self.bound:
            raise ValueError(f"`{parameter.name}` is bound twice, by its name and by its index")
        self.bound.add(place)
        if isinstance(value, Empty):
            self.output(parameter, value)
        elif parameter.kind == "texture":
            self.texture(parameter, value)
        elif parameter.kind == "sampler":
            if not isinstance(value, Sampler):
                raise TypeError(f"`{parameter.name}` is a sampler; pass assay.Sampler(...)")
            self.samplers.append(
                [parameter.index, value.filter == "linear", value.coordinates == "pixel", value.wrap]
            )
        elif parameter.kind == "threadgroup":
            raise ValueError(f"`{parameter.name}` is threadgroup memory; size it by threadgroup_memory")
        elif value is None or isinstance(value, (int, float, str, np.generic, list, tuple, range, Mapping, Pointer)):
            self.written(parameter, list(value) if isinstance(value, range) else value)
        elif isinstance(value, np.ndarray) and value.ndim == 0 and parameter.kind == "value":
            self.written(parameter, value)
        else:
            self.array(parameter, value)

    def array(self, parameter: Parameter, value: Any) -> None:
        array = _arrays.to_numpy(value, parameter.name)
        check_dtype(parameter.memory, parameter.type, array.dtype, parameter.name)
        if parameter.type.endswith("&") and 0 < array.nbytes < parameter.memory.size:
            raise ValueError(
                f"`{parameter.name}` is {parameter.type}, of {parameter.memory.size} bytes, and the array has {array.nbytes}"
            )
        self.place(
            parameter.index, "change" if parameter.writable else "read", array, parameter.name, parameter.writable
        ).given = value

    def written(self, parameter: Parameter, value: Any) -> None:
        """Python's numbers, lists and dictionaries: one object, or as many as a list has behind a pointer."""
        part, called = parameter.memory, parameter.name
        if part.size == 0:
            raise TypeError(f"`{called}` is {parameter.type}, of which Assay does not know what it holds; pass an array")
        raw, leads = _objects(part, value, called, parameter.type.endswith("&"))
        if not leads and parameter.kind == "value":
            self.values.append((parameter.index, raw.tobytes()))
            return
        holder = len(self.buffers)
        kept = parameter.writable and not leads
        self.place(parameter.index, "change" if parameter.writable else "read", _typed(part, raw) if kept else raw, called, kept)
        for lead in leads:
            self.pointed(holder, *lead)

    def pointed(self, holder: int, at: int, name: str, pointer: Part, array: Any) -> None:
        """What a pointer in an argument buffer leads to."""
        here = len(self.buffers)
        self.pointers.append((holder, at, here))
        element = pointer.parts[0] if pointer.parts else None
        known = element is not None and element.size > 0
        use = "change" if pointer.writable else "read"
        leads: list[Any] = []
        if isinstance(array, Empty):
            one, use = _empty(array, name)
        elif known and isinstance(array, (int, float, np.generic, list, tuple, Mapping)):
            raw, leads = _objects(element, array, name, False)
            one = raw if leads else _typed(element, raw)
        else:
            one = _arrays.to_numpy(array, name)
        if known and not leads:
            check_dtype(element, f"a pointer to {element.type}", one.dtype, name)
        self.place(-1, use, one, name, pointer.writable).given = array
        for lead in leads:
            self.pointed(here, *lead)

    def pointer_table(self, parameter: Parameter, arrays: Sequence[Any]) -> None:
        """Pointers one behind the other, whatever struct the text has for them."""
        holder = len(self.buffers)
        self.place(parameter.index, "read", np.zeros(8 * len(arrays), np.uint8), parameter.name)
        for i, one in enumerate(arrays):
            self.pointed(holder, 8 * i, f"{parameter.name}[{i}]", _ANY_POINTER, one)

    def place(self, index: int, use: str, array: np.ndarray, name: str, kept: bool = False) -> Placed:
        if not array.flags.c_contiguous:
            raise ValueError(f"`{name}` is not contiguous; pass numpy.ascontiguousarray({name})")
        if array.nbytes == 0:
            raise ValueError(f"`{name}` has no elements; Metal has no buffers of that size")
        raw = array.reshape(-1).view(np.uint8)
        one = Placed(index, use, raw, name if kept else "", array.shape, array.dtype)
        self.buffers.append(one)
        return one

    def output(self, parameter: Parameter, value: Empty) -> None:
        if parameter.kind == "texture":
            raise ValueError(f"`{parameter.name}` is a texture; pass assay.Texture with an array to write into")
        if not parameter.writable:
            raise ValueError(f"`{parameter.name}` is no output: the kernel cannot write to {parameter.type}")
        array, use = _empty(value, parameter.name)
        check_dtype(parameter.memory, parameter.type, array.dtype, parameter.name)
        self.place(parameter.index, use, array, parameter.name, True)

    def texture(self, parameter: Parameter, value: Any) -> None:
        if not isinstance(value, Texture):
            raise TypeError(f"`{parameter.name}` is a texture; pass assay.Texture(array, format)")
        if not isinstance(value.format, str) or not value.format:
            raise TypeError(f"`{parameter.name}` has texels of a format by its name, such as rgba8unorm, not {value.format!r}")
        array = _arrays.to_numpy(value.array, parameter.name)
        letters = re.match("(rgba|rg|r)[0-9]", value.format)
        channels = len(letters[1]) if letters else 1
        _check_texels(value.format, array.dtype, parameter.name)
        extents = list(array.shape)
        if channels > 1 and extents and extents[-1] == channels:
            extents.pop()
        elif channels > 1 and extents and extents[-1] % channels == 0:
            extents[-1] //= channels
        elif channels > 1:
            last = extents[-1] if extents else "none"
            raise ValueError(f"`{parameter.name}` has texels of {channels} channels, and the array's last axis is {last}")
        axes = re.search("texture([123])d", parameter.type)
        if axes and len(extents) != int(axes[1]) + value.layered:
            raise ValueError(
                f"`{parameter.name}` is {parameter.type}: the array has {int(axes[1]) + value.layered} axes beside the channels, "
                f"not {len(extents)}"
            )
        layers = extents.pop(0) if value.layered else 1
        width, height, depth = (list(reversed(extents)) + [1, 1, 1])[:3]
        use = "change" if parameter.writable else "read"
        at = len(self.buffers)
        self.place(-1, use, array, parameter.name, parameter.writable).given = value.array
        self.textures.append([parameter.index, at, value.format, width, height, depth, layers])

    def join_shared(self) -> None:
        """Arrays that share memory, be it that one is given twice, share memory in the kernel too."""
        ranges = []
        for i, one in enumerate(self.buffers):
            if one.use != "fill":
                begin = one.bytes.__array_interface__["data"][0]
                ranges.append((begin, begin + one.bytes.size, i))
        ranges.sort()
        groups: list[list[tuple[int, int, int]]] = []
        end = -1
        for part in ranges:
            if part[0] >= end:
                groups.append([])
            groups[-1].append(part)
            end = max(end, part[1]) if len(groups[-1]) > 1 else part[1]
        for group in groups:
            if len(group) < 2:
                continue
            first = group[0][0]
            content = np.empty(max(stop for _, stop, _ in group) - first, np.uint8)
            for begin, stop, i in group:
                content[begin - first : stop - first] = self.buffers[i].bytes
                self.buffers[i].part_of, self.buffers[i].part_offset = len(self.buffers), begin - first
            changes = any(self.buffers[i].use == "change" for _, _, i in group)
            self.buffers.append(
                Placed(-1, "change" if changes else "read", content, "", content.shape, content.dtype)
            )

    def run(
        self, grid: list[int], threads: list[int], grid_in: str, memory: Mapping[Any, int]
    ) -> list[Placed]:
        if grid_in not in ("threads", "threadgroups"):
            raise ValueError(f'grid_in is "threads" or "threadgroups", not {grid_in!r}')
        threadgroup = []
        for key, size in memory.items():
            found = [
                one
                for one in self.kernel.parameters
                if one.kind == "threadgroup" and (one.name == key or one.index == key)
            ]
            if not found:
                raise ValueError(f"{self.kernel.function} has no threadgroup memory {key!r}")
            if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
                raise TypeError(f"threadgroup_memory[{key!r}] is a number of bytes, not {size!r}")
            if size <= 0 or size % 16:
                raise ValueError(f"threadgroup_memory[{key!r}] = {size}: Metal takes multiples of 16 bytes")
            threadgroup.append([found[0].index, int(size)])
        self.join_shared()
        loaded = self.kernel.loaded()
        process = loaded.worker
        with process.lock:
            at, values = 0, []
            for one in self.buffers:
                if one.part_of < 0:
                    one.offset = at
                    at += -(-one.bytes.size // 64) * 64
            for one in self.buffers:
                if one.part_of >= 0:
                    one.offset = self.buffers[one.part_of].offset + one.part_offset
            for index, content in self.values:
                values.append([index, at, len(content)])
                at += -(-len(content) // 64) * 64
            memory_map = np.frombuffer(process.room(at), np.uint8)
            for one in self.buffers:
                if one.use != "fill":
                    memory_map[one.offset : one.offset + one.bytes.size] = one.bytes
            for (_, offset, size), (_, content) in zip(values, self.values):
                memory_map[offset : offset + size] = np.frombuffer(content, np.uint8)
            answer = process.call(
                {
                    "do": "run",
                    "kernel": loaded.answer["kernel"],
                    "buffers": [
                        [one.index, one.use, one.offset, one.bytes.size, one.part_of, one.part_offset]
                        for one in self.buffers
                    ],
                    "values": values,
                    "threadgroup": threadgroup,
                    "pointers": self.pointers,
                    "textures": self.textures,
                    "samplers": self.samplers,
                    "grid": grid,
                    "grid_in_threads": grid_in == "threads",
                    "threads": threads,
                }
            )
            if answer["verdict"] != "pass":
                raise errors.fault_of(answer)
            written = [one for one in self.buffers if one.name]
            for one in written:
                one.bytes = memory_map[one.offset : one.offset + one.bytes.size].copy()
        return written


def back(one: Placed) -> np.ndarray:
    return one.bytes.view(one.dtype).reshape(one.shape)
