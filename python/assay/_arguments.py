"""What a kernel takes: its parameters, and arguments as a caller gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _arrays
from ._memory import Part, Pointer, dtype_of_part, scalars_of

__all__ = ["Empty", "Parameter", "Part", "Pointer", "Sampler", "Texture", "check_dtype", "size_of"]

Size = Union[int, Sequence[int]]
Key = Union[str, int]


@dataclass(frozen=True)
class Parameter:
    """What a kernel is given at an index: as its text declares it."""

    kind: str  #: "buffer", "value", "threadgroup", "texture" or "sampler"
    name: str
    index: int  #: of [[buffer(index)]], [[threadgroup(index)]], ...
    type: str  #: as it is written: "device const half4*"
    writable: bool
    memory: Part  #: of a buffer or a value: an element of what is bound


@dataclass(frozen=True)
class Texture:
    """An array as texels: rows, columns, channels, with a slice or layer axis ahead where there are several.

    `format`: "rgba8unorm", "r32float", ... (docs/manifest.md, "Textures").
    """

    array: Any
    format: str
    layered: bool = False  #: the first axis counts layers of an array of textures


_WRAPS = ("clamp_to_edge", "clamp_to_zero", "clamp_to_border", "repeat", "mirrored_repeat")


@dataclass(frozen=True)
class Sampler:
    """What the host makes for [[sampler(i)]]. `filter`: "nearest" or "linear"; `wrap`: "clamp_to_edge", ..."""

    filter: str = "nearest"
    coordinates: str = "normalized"  #: or "pixel"
    wrap: str = "clamp_to_edge"

    def __post_init__(self) -> None:
        for field, known in (("filter", ("nearest", "linear")), ("coordinates", ("normalized", "pixel")), ("wrap", _WRAPS)):
            if getattr(self, field) not in known:
                raise ValueError(f"{field} of a sampler is one of {', '.join(known)}, not {getattr(self, field)!r}")


@dataclass(frozen=True)
class Empty:
    """An output: memory that nobody has written. `fill`: what all of it holds at first."""

    shape: Union[int, tuple[int, ...]]
    dtype: Any
    fill: Optional[float] = None


def size_of(size: Size, what: str) -> list[int]:
    size = size.tolist() if isinstance(size, np.ndarray) else size
    numbers = list(size) if isinstance(size, (list, tuple)) else [size]
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{what} is one to three numbers, not {len(numbers)}")
    for one in numbers:
        if isinstance(one, bool) or not isinstance(one, (int, np.integer)) or not 1 <= one < 1 << 32:
            raise ValueError(f"{what} = {tuple(numbers)}: each is a whole number from 1 on")
    return [int(one) for one in numbers] + [1] * (3 - len(numbers))


def check_structure(part: Part, written: str, dtype: np.dtype, called: str) -> None:
    """Elements of structs are bytes, have the fields of the text, or are numbers where all fields are those numbers."""
    if dtype.itemsize == 1 and dtype.names is None:
        return
    wanted = dtype_of_part(part)
    if dtype.names is None:
        scalars = {_arrays.dtype_of(kind) for kind, _ in scalars_of(part)}
        if scalars == {dtype} or (scalars == {np.dtype("f4")} and dtype.name == "complex64" and part.size == dtype.itemsize):
            return
        raise TypeError(f"`{called}` is {written}, and the array holds {dtype.name}; pass dictionaries, or bytes by view(numpy.uint8)")
    if dtype.itemsize != part.size:
        raise TypeError(f"`{called}` is {written}, of {part.size} bytes, and an element of the array has {dtype.itemsize}")
    fields = [(name, dtype.fields[name][:2]) for name in dtype.names]
    if wanted is not None and sorted(fields) != sorted((name, wanted.fields[name][:2]) for name in wanted.names):
        told = ", ".join(f"{name} {kind} at byte {at}" for name, (kind, at) in ((n, wanted.fields[n][:2]) for n in wanted.names))
        raise TypeError(f"`{called}` is {written} with {told}; the array has other fields")


def check_dtype(part: Part, written: str, dtype: np.dtype, called: str) -> None:
    """Whether an array can be bound to memory of that kind. Elements of structs are of their size."""
    if not dtype.isnative:
        raise TypeError(f"`{called}` has the byte order of other machines; pass it by astype({dtype.newbyteorder('=').str!r})")
    if part.type == "structure":
        check_structure(part, written, dtype, called)
    if not part.is_scalar or dtype.names is not None:
        return
    wanted = _arrays.DTYPES[part.type]
    if dtype.name == wanted or (dtype.name == "complex64" and wanted == "float32" and part.size == dtype.itemsize):
        return
    whole = (np.issubdtype(dtype, np.integer) or dtype.name == "bool") and not wanted.startswith(("float", "bfloat"))
    if whole and dtype.itemsize == part.scalar_bytes:
        return
    raise TypeError(f"`{called}` is {written}, and the array holds {dtype.name}; pass {wanted} elements")
