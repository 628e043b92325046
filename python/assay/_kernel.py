"""A kernel, loaded once and launched as often as one likes."""

from __future__ import annotations

import collections
import json
import os
import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _arrays, _capture, _source, errors
from ._worker import Worker, worker

#: Processes that run kernels at a time; the kernel that was not launched for the longest time gives its own up.
MOST_LOADED = 32

#: Where launches are written down: `pytest --assay-capture`.
recorder: Optional[_capture.Recorder] = None

Size = Union[int, Sequence[int]]
Key = Union[str, int]


@dataclass(frozen=True)
class Parameter:
    """What a kernel is given at an index: as its text declares it."""

    kind: str  #: "buffer", "value", "threadgroup", "texture" or "sampler"
    name: str
    index: int  #: of [[buffer(index)]], [[threadgroup(index)]], ...
    type: str  #: as it is written: "device const half4*"
    element: str  #: the scalars that it holds, "half"; "" where there are several, or nobody knows
    element_bytes: int
    scalar_bytes: int
    writable: bool
    fields: tuple[tuple[str, str, int], ...] = ()  #: of a value: name, type, offset


@dataclass(frozen=True)
class Pointer:
    """In an argument buffer: eight bytes that point to an array."""

    array: Any


@dataclass(frozen=True)
class Texture:
    """An array as texels: rows, columns, channels, with a slice or layer axis ahead where there are several.

    `format`: "rgba8unorm", "r32float", ... (docs/manifest.md, "Textures").
    """

    array: Any
    format: str
    layered: bool = False  #: the first axis counts layers of an array of textures


@dataclass(frozen=True)
class Sampler:
    """What the host makes for [[sampler(i)]]. `filter`: "nearest" or "linear"; `wrap`: "clamp_to_edge", ..."""

    filter: str = "nearest"
    coordinates: str = "normalized"  #: or "pixel"
    wrap: str = "clamp_to_edge"


@dataclass(frozen=True)
class Empty:
    """An output: memory that nobody has written. `fill`: what all of it holds at first."""

    shape: tuple[int, ...]
    dtype: Any
    fill: Optional[float] = None


@dataclass
class _Placed:
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


class Kernel:
    """A kernel of a Metal text, compiled and loaded.

    Args:
        source: the text, or the path of a `.metal` file.
        function: its name, or the host_name of an instantiation; None: the only one of the text.
        mode: "checked", in which every access is watched, or "fast".
        constants: function constants, by name or index.
        defines: definitions of the preprocessor.
        include_dirs: folders for #include.
        timeout: seconds of processor time that a launch may take.

    Raises:
        MetalError, UnsupportedMetal: for a text that is no Metal, or has what Assay has not.
        ValueError: for a function or a constant that the text has not.
    """

    def __init__(
        self,
        source: Union[str, os.PathLike],
        function: Optional[str] = None,
        *,
        mode: str = "checked",
        constants: Optional[Mapping[Key, Any]] = None,
        defines: Optional[Mapping[str, Any]] = None,
        include_dirs: Sequence[Union[str, os.PathLike]] = (),
        timeout: float = 60,
        _source_of: Optional[dict[str, Any]] = None,
    ) -> None:
        if mode not in ("checked", "fast"):
            raise ValueError(f'mode is "checked" or "fast", not {mode!r}')
        self._request = {
            "do": "load",
            "source": _source_of
            or _source.of(
                source,
                function,
                constants=dict(constants or {}),
                defines=dict(defines or {}),
                include_dirs=include_dirs,
                within=_source.caller(),
            ),
            "checked": mode == "checked",
            "timeout": float(timeout),
        }
        self.mode = mode
        loaded = _loaded(self._request)
        self.function: str = loaded.answer["function"]
        self.parameters: tuple[Parameter, ...] = loaded.parameters

    def __repr__(self) -> str:
        return f"<assay.Kernel {self.function}, {self.mode}>"

    def parameter(self, key: Key) -> Parameter:
        """The parameter of that name or buffer index. Raises ValueError that lists those that there are."""
        for one in self.parameters:
            if one.name == key or (one.kind in ("buffer", "value") and one.index == key):
                return one
        known = ", ".join(f"{one.name} ({one.index})" for one in self.parameters)
        raise ValueError(f"{self.function} has no parameter {key!r}; it has {known or 'none'}")

    def run(
        self,
        arguments: Mapping[Key, Any],
        outputs: Optional[Mapping[Key, Any]] = None,
        *,
        grid: Size,
        threads: Size,
        grid_in: str = "threads",
        threadgroup_memory: Optional[Mapping[Key, int]] = None,
        _recorded: bool = False,
    ) -> dict[str, Any]:
        """Launches it once.

        Args:
            arguments: by name or index: arrays (NumPy, MLX, PyTorch, anything with DLPack or a buffer), numbers and
                dictionaries of fields for values, `Texture`, `Sampler`, a dictionary of arrays and `Pointer` for an
                argument buffer. Arrays are as long as the kernel may reach.
            outputs: by name or index: (shape, dtype), or `Empty`: memory that nobody has written.
            grid: threads of the whole launch, one to three numbers; threadgroups with `grid_in="threadgroups"`.
            threads: of a threadgroup.
            threadgroup_memory: bytes of each [[threadgroup(i)]], by name or index.

        Returns:
            By name, what was written: the outputs, and all arguments that the kernel may write, as new arrays of
            the kind that the first array has. Arguments themselves stay as they are.

        Raises:
            Fault: of its kind (Race, OutOfBounds, ...), with the report.
            TypeError, ValueError: for arguments that do not fit the kernel, in a sentence.
        """
        launch = _Launch(self, arguments, outputs or {})
        sides, group, memory = _size(grid, "grid"), _size(threads, "threads"), threadgroup_memory or {}
        if recorder is not None and not _recorded:
            _capture.record(recorder, self, launch, sides, group, grid_in, memory)
        placed = launch.run(sides, group, grid_in, memory)
        make = _arrays.maker(launch.kind)
        return {one.name: make(_back(one)) for one in placed}


class _Launch:
    def __init__(self, kernel: Kernel, arguments: Mapping[Key, Any], outputs: Mapping[Key, Any]) -> None:
        self.kernel = kernel
        self.kind = "numpy"
        self.buffers: list[_Placed] = []
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
        elif parameter.kind == "value" and not _is_array(value):
            self.values.append((parameter.index, _value_bytes(parameter, value)))
        else:
            self.array(parameter, value)

    def array(self, parameter: Parameter, value: Any) -> None:
        if isinstance(value, (list, tuple, int, float)):
            value = np.asarray(value, dtype=_arrays.dtype_of(parameter.element) if parameter.element else None)
        array = _arrays.to_numpy(value, parameter.name)
        _check_dtype(parameter, array.dtype)
        self.place(
            parameter.index, "change" if parameter.writable else "read", array, parameter.name, parameter.writable
        ).given = value

    def place(self, index: int, use: str, array: np.ndarray, name: str, kept: bool = False) -> _Placed:
        if not array.flags.c_contiguous:
            raise ValueError(f"`{name}` is not contiguous; pass numpy.ascontiguousarray({name})")
        if array.nbytes == 0:
            raise ValueError(f"`{name}` has no elements; Metal has no buffers of that size")
        raw = array.reshape(-1).view(np.uint8)
        one = _Placed(index, use, raw, name if kept else "", array.shape, array.dtype)
        self.buffers.append(one)
        return one

    def output(self, parameter: Parameter, value: Any) -> None:
        if isinstance(value, tuple) and len(value) == 2 and not _is_array(value):
            value = Empty(value[0], value[1])
        if not isinstance(value, Empty):
            raise TypeError(f"output `{parameter.name}` is (shape, dtype) or assay.Empty, not {type(value).__name__}")
        if not parameter.writable:
            raise ValueError(f"`{parameter.name}` is no output: the kernel cannot write to {parameter.type}")
        shape = (value.shape,) if isinstance(value.shape, int) else tuple(value.shape)
        dtype = _arrays.dtype_of(value.dtype)
        _check_dtype(parameter, dtype)
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
                _Placed(-1, "change" if changes else "read", content, "", content.shape, content.dtype)
            )

    def run(
        self, grid: list[int], threads: list[int], grid_in: str, memory: Mapping[Key, int]
    ) -> list[_Placed]:
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
        loaded = _loaded(self.kernel._request)
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


def _back(one: _Placed) -> np.ndarray:
    return one.bytes.view(one.dtype).reshape(one.shape)


def _is_array(value: Any) -> bool:
    return not isinstance(value, np.generic) and (
        hasattr(value, "shape") or hasattr(value, "__dlpack__") or isinstance(value, (memoryview, bytearray, bytes))
    )


def _size(size: Size, what: str) -> list[int]:
    numbers = [size] if isinstance(size, (int, np.integer)) else list(size)
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{what} is one to three numbers, not {len(numbers)}")
    for one in numbers:
        if not isinstance(one, (int, np.integer)) or not 1 <= one < 1 << 32:
            raise ValueError(f"{what} = {tuple(numbers)}: each is a whole number from 1 on")
    return [int(one) for one in numbers] + [1] * (3 - len(numbers))


def _check_dtype(parameter: Parameter, dtype: np.dtype) -> None:
    wanted = _arrays.DTYPES.get(parameter.element)
    if wanted is None or parameter.element_bytes % parameter.scalar_bytes != 0:
        return
    if parameter.element == "uchar" and parameter.element_bytes not in (1, 2, 4):  # bytes of a struct
        return
    if dtype.name == wanted or dtype.names is not None:
        return
    whole = (np.issubdtype(dtype, np.integer) or dtype.name == "bool") and not wanted.startswith(("float", "bfloat"))
    if whole and dtype.itemsize == parameter.scalar_bytes:
        return
    raise TypeError(
        f"`{parameter.name}` is {parameter.type}, and the array holds {dtype.name}; pass {wanted} elements"
    )


def _value_bytes(parameter: Parameter, value: Any) -> bytes:
    """A number, a sequence of them, or a dictionary of fields, as the struct or scalar that the kernel takes."""
    fields = parameter.fields
    if isinstance(value, Mapping):
        missing = [name for name, _, _ in fields if name not in value]
        unknown = [str(name) for name in value if name not in {field[0] for field in fields}]
        if missing or unknown:
            raise ValueError(
                f"`{parameter.name}` has the fields {', '.join(field[0] for field in fields)}; "
                + (f"{', '.join(missing)} is missing" if missing else f"it has no {', '.join(unknown)}")
            )
        numbers = [value[name] for name, _, _ in fields]
    else:
        numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(numbers) != len(fields):
        raise ValueError(f"`{parameter.name}` is {parameter.type}: {len(fields)} numbers, not {len(numbers)}")
    content = bytearray(parameter.element_bytes)
    for (name, type_name, offset), number in zip(fields, numbers):
        called = f"{parameter.name}.{name}" if name else parameter.name
        dtype = _arrays.dtype_of(type_name)
        if not isinstance(number, (int, float, np.number, np.bool_)):
            raise TypeError(f"`{called}` is {type_name}, not {type(number).__name__}")
        whole = not np.issubdtype(dtype, np.inexact) and dtype.name != "bfloat16"
        if whole and isinstance(number, (float, np.floating)) and not float(number).is_integer():
            raise TypeError(f"`{called}` is {type_name}, and {number} is no whole number")
        if whole and dtype.name != "bool":
            limits = np.iinfo(dtype)
            if not limits.min <= int(number) <= limits.max:
                raise ValueError(f"`{called}` is {type_name}, which has no {number}")
        part = np.asarray(int(number) if whole else number).astype(dtype).tobytes()
        content[offset : offset + len(part)] = part
    return bytes(content)


def kernels_of(source: dict[str, Any]) -> list[str]:
    """The names of all kernels of a source, as `_source.of` makes it."""
    process = worker()
    return process.call({"do": "list", "source": _source.beside(source, process.folder)})["kernels"]


@dataclass
class _Loaded:
    worker: Worker
    answer: dict[str, Any]
    parameters: tuple[Parameter, ...] = field(default=())


_all_loaded: "collections.OrderedDict[str, _Loaded]" = collections.OrderedDict()


def _loaded(request: dict[str, Any]) -> _Loaded:
    """What is loaded for a request, in the process of now."""
    process = worker()
    request = {**request, "source": _source.beside(request["source"], process.folder)}
    key = json.dumps(request, sort_keys=True)
    with process.lock:
        known = _all_loaded.get(key)
        if known is not None and known.worker is process:
            _all_loaded.move_to_end(key)
            return known
        answer = process.call(request)
        made = _Loaded(process, answer, tuple(_parameter(one) for one in answer["parameters"]))
        _all_loaded[key] = made
        while len(_all_loaded) > MOST_LOADED:
            _, old = _all_loaded.popitem(last=False)
            if old.worker is process:
                process.call({"do": "drop", "kernel": old.answer["kernel"]})
        return made


def _parameter(one: dict[str, Any]) -> Parameter:
    return Parameter(**{**one, "fields": tuple((name, kind, offset) for name, kind, offset in one["fields"])})

