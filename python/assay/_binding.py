"""A launch: arguments in shared memory, what reads and writes them, and the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from . import _arrays, errors
from ._arguments import Empty, Key, Parameter, Pointer, Sampler, Texture, check_dtype, is_array, value_bytes


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


class Launch:
    def __init__(self, kernel: Any, arguments: Mapping[Key, Any], outputs: Mapping[Key, Any]) -> None:
        self.kernel = kernel
        self.kind = "numpy"
        self.buffers: list[Placed] = []
        self.values: list[tuple[int, bytes]] = []
        self.pointers: list[tuple[int, int, int]] = []
        self.textures: list[list[Any]] = []
        self.samplers: list[list[Any]] = []
        kinds = [_arrays.kind_of(one) for one in arguments.values() if hasattr(one, "dtype")]
        self.kind = next((one for one in kinds if one != "numpy"), "numpy")
        for key, value in arguments.items():
            self.bind(kernel.parameter(key), value)
        for key, value in outputs.items():
            self.output(kernel.parameter(key), value)

    def bind(self, parameter: Parameter, value: Any) -> None:
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
        elif isinstance(value, dict) and any(isinstance(one, Pointer) for one in value.values()):
            self.argument_buffer(parameter, value)
        elif parameter.kind == "value" and not is_array(value):
            self.values.append((parameter.index, value_bytes(parameter, value)))
        else:
            self.array(parameter, value)

    def array(self, parameter: Parameter, value: Any) -> None:
        if isinstance(value, (list, tuple, int, float)):
            value = np.asarray(value, dtype=_arrays.dtype_of(parameter.element) if parameter.element else None)
        array = _arrays.to_numpy(value, parameter.name)
        check_dtype(parameter, array.dtype)
        self.place(
            parameter.index, "change" if parameter.writable else "read", array, parameter.name, parameter.writable
        ).given = value

    def place(self, index: int, use: str, array: np.ndarray, name: str, kept: bool = False) -> Placed:
        if not array.flags.c_contiguous:
            raise ValueError(f"`{name}` is not contiguous; pass numpy.ascontiguousarray({name})")
        if array.nbytes == 0:
            raise ValueError(f"`{name}` has no elements; Metal has no buffers of that size")
        raw = array.reshape(-1).view(np.uint8)
        one = Placed(index, use, raw, name if kept else "", array.shape, array.dtype)
        self.buffers.append(one)
        return one

    def output(self, parameter: Parameter, value: Any) -> None:
        if isinstance(value, tuple) and len(value) == 2 and not is_array(value):
            value = Empty(value[0], value[1])
        if not isinstance(value, Empty):
            raise TypeError(f"output `{parameter.name}` is (shape, dtype) or assay.Empty, not {type(value).__name__}")
        if not parameter.writable:
            raise ValueError(f"`{parameter.name}` is no output: the kernel cannot write to {parameter.type}")
        shape = (value.shape,) if isinstance(value.shape, int) else tuple(value.shape)
        dtype = _arrays.dtype_of(value.dtype)
        check_dtype(parameter, dtype)
        if parameter.kind == "texture":
            raise ValueError(f"`{parameter.name}` is a texture; pass assay.Texture with an array to write into")
        use, array = "fill", np.empty(shape, dtype)
        if value.fill is not None:
            use = "change"
            array.fill(value.fill)
        self.place(parameter.index, use, array, parameter.name, True)

    def texture(self, parameter: Parameter, value: Any) -> None:
        if not isinstance(value, Texture):
            raise TypeError(f"`{parameter.name}` is a texture; pass assay.Texture(array, format)")
        array = _arrays.to_numpy(value.array, parameter.name)
        letters = re.match("(rgba|rg|r)[0-9]", value.format)
        channels = len(letters[1]) if letters else 1
        extents = list(array.shape)
        if channels > 1 and extents and extents[-1] == channels:
            extents.pop()
        elif channels > 1 and extents:
            extents[-1] //= channels
        layers = extents.pop(0) if value.layered else 1
        width, height, depth = (list(reversed(extents)) + [1, 1, 1])[:3]
        use = "change" if parameter.writable else "read"
        at = len(self.buffers)
        self.place(-1, use, array, parameter.name, parameter.writable).given = value.array
        self.textures.append([parameter.index, at, value.format, width, height, depth, layers])

    def argument_buffer(self, parameter: Parameter, fields: dict[Any, Any]) -> None:
        """Fields in the order of the struct: pointers, and numbers as NumPy scalars, each at a multiple of its size."""
        content, leads = bytearray(), []
        for name, value in fields.items():
            bytes_of = b"\0" * 8 if isinstance(value, Pointer) else np.asarray(value).tobytes()
            offset = -(-len(content) // len(bytes_of)) * len(bytes_of)
            content += b"\0" * (offset - len(content)) + bytes_of
            if isinstance(value, Pointer):
                leads.append((offset, name, value.array))
        content += b"\0" * (-len(content) % 8)
        holder = len(self.buffers)
        self.place(parameter.index, "read", np.frombuffer(bytes(content), np.uint8), parameter.name)
        for at, name, array in leads:
            made = isinstance(array, Empty)
            one = np.empty(array.shape, _arrays.dtype_of(array.dtype)) if made else _arrays.to_numpy(array, str(name))
            self.pointers.append((holder, at, len(self.buffers)))
            self.place(-1, "fill" if made else "change", one, str(name), True)

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
        self, grid: list[int], threads: list[int], grid_in: str, memory: Mapping[Key, int]
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
