"""What a kernel takes: its parameters, and arguments as a caller gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _arrays

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


def is_array(value: Any) -> bool:
    return not isinstance(value, np.generic) and (
        hasattr(value, "shape") or hasattr(value, "__dlpack__") or isinstance(value, (memoryview, bytearray, bytes))
    )


def size_of(size: Size, what: str) -> list[int]:
    numbers = [size] if isinstance(size, (int, np.integer)) else list(size)
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{what} is one to three numbers, not {len(numbers)}")
    for one in numbers:
        if not isinstance(one, (int, np.integer)) or not 1 <= one < 1 << 32:
            raise ValueError(f"{what} = {tuple(numbers)}: each is a whole number from 1 on")
    return [int(one) for one in numbers] + [1] * (3 - len(numbers))


def check_dtype(parameter: Parameter, dtype: np.dtype) -> None:
    wanted = _arrays.DTYPES.get(parameter.element)
    if wanted is None or parameter.element_bytes % parameter.scalar_bytes != 0:
        return
    if parameter.element == "uchar" and parameter.element_bytes not in (1, 2, 4):  # bytes of a struct
        return
    if dtype.name == wanted or dtype.names is not None:
        return
    if dtype.name == "complex64" and wanted == "float32" and parameter.element_bytes == dtype.itemsize:
        return
    whole = (np.issubdtype(dtype, np.integer) or dtype.name == "bool") and not wanted.startswith(("float", "bfloat"))
    if whole and dtype.itemsize == parameter.scalar_bytes:
        return
    raise TypeError(
        f"`{parameter.name}` is {parameter.type}, and the array holds {dtype.name}; pass {wanted} elements"
    )


def value_bytes(parameter: Parameter, value: Any) -> bytes:
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
