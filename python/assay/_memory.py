"""Python values as the bytes of memory that a Metal text declares: numbers, vectors, arrays, structs, pointers."""

from __future__ import annotations

import collections.abc
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np

from . import _arrays

_BYTES = {name: np.dtype(dtype).itemsize for name, dtype in _arrays.DTYPES.items() if dtype != "bfloat16"}


@dataclass(frozen=True)
class Part:
    """What memory holds: as a text declares it."""

    name: str  #: of a member; else ""
    type: str  #: "half", ... of a scalar or a vector; "structure", "array" and "pointer"; "" where nobody knows
    offset: int
    size: int  #: bytes; 0: not known
    count: int  #: elements of an array, components of a vector
    writable: bool  #: what a pointer leads to
    parts: tuple["Part", ...]  #: members, the element of an array, what a pointer leads to

    @property
    def is_scalar(self) -> bool:
        return self.type in _arrays.DTYPES

    @property
    def scalar_bytes(self) -> int:
        return _BYTES.get(self.type, 2)


@dataclass(frozen=True)
class Pointer:
    """In an argument buffer: eight bytes that point to an array."""

    array: Any


def part_of(told: Sequence[Any]) -> Part:
    return Part(*told[:6], tuple(part_of(one) for one in told[6]))


def scalars_of(part: Part, offset: int = 0) -> Iterator[tuple[str, int]]:
    """The types and the places of all numbers in it."""
    if part.is_scalar:
        for i in range(part.count):
            yield part.type, offset + i * part.scalar_bytes
    elif part.type == "array":
        for i in range(part.count):
            yield from scalars_of(part.parts[0], offset + i * part.parts[0].size)
    else:
        for one in part.parts if part.type == "structure" else ():
            yield from scalars_of(one, offset + one.offset)


def dtype_of_part(part: Part) -> Optional[np.dtype]:
    """NumPy's type of an element of that kind; None where there is none."""
    if part.is_scalar:
        scalar = _arrays.dtype_of(part.type)
        whole = part.count * part.scalar_bytes == part.size
        return scalar if part.count == 1 else np.dtype((scalar, (part.count,))) if whole else None
    if part.type == "array" and part.parts[0].size * part.count == part.size:
        element = dtype_of_part(part.parts[0])
        return None if element is None else np.dtype((element, (part.count,)))
    if part.type != "structure":
        return None
    formats = [dtype_of_part(one) for one in part.parts]
    if any(one is None for one in formats):
        return None
    return np.dtype(
        {
            "names": [one.name for one in part.parts],
            "formats": formats,
            "offsets": [one.offset for one in part.parts],
            "itemsize": part.size,
        }
    )


class Written:
    """Bytes of one object, and the pointers among them: (offset, name, what is pointed to, the array)."""

    def __init__(self, part: Part, value: Any, called: str) -> None:
        self.content = bytearray(part.size)
        self.pointers: list[tuple[int, str, Part, Any]] = []
        self._write(part, value, 0, called)

    def _write(self, part: Part, value: Any, at: int, called: str) -> None:
        if part.type == "pointer":
            self._pointer(part, value, at, called)
        elif part.type == "structure":
            self._structure(part, value, at, called)
        elif part.type == "array":
            element = part.parts[0]
            for i, one in enumerate(_elements(value, part.count, called, "elements")):
                self._write(element, one, at + i * element.size, f"{called}[{i}]")
        elif part.is_scalar and part.count > 1:
            for i, one in enumerate(_elements(value, part.count, called, f"components of {part.type}")):
                self._number(part, one, at + i * part.scalar_bytes, f"{called}.{'xyzw'[i]}")
        elif part.is_scalar:
            self._number(part, value, at, called)
        else:
            raw = bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else b""
            if len(raw) != part.size or not raw:
                raise TypeError(
                    f"`{called}` is a struct with bases or bit fields, or another type that Assay does not write; "
                    f"pass its {part.size} bytes"
                )
            self.content[at : at + len(raw)] = raw

    def _structure(self, part: Part, value: Any, at: int, called: str) -> None:
        names = [one.name for one in part.parts]
        value = value._asdict() if hasattr(value, "_asdict") else value  # a named tuple
        if isinstance(value, Mapping):
            missing = [name for name in names if name not in value]
            unknown = [str(name) for name in value if name not in names]
            if missing or unknown:
                raise ValueError(
                    f"`{called}` has the fields {', '.join(names)}; "
                    + (f"{', '.join(missing)} is missing" if missing else f"it has no {', '.join(unknown)}")
                )
            values = [value[name] for name in names]
        else:
            values = _elements(value, len(names), called, f"fields, {', '.join(names)}")
        for one, field in zip(part.parts, values):
            self._write(one, field, at + one.offset, f"{called}.{one.name}")

    def _pointer(self, part: Part, value: Any, at: int, called: str) -> None:
        if not isinstance(value, Pointer):
            raise TypeError(f"`{called}` is a pointer; pass assay.Pointer(array), not {type(value).__name__}")
        self.pointers.append((at, called.rpartition(".")[2], part, value.array))

    def _number(self, part: Part, number: Any, at: int, called: str) -> None:
        raw = number_bytes(part.type, number, called)
        self.content[at : at + len(raw)] = raw


def number_bytes(kind: str, number: Any, called: str) -> bytes:
    """A number as Metal's type of that name. Raises TypeError and ValueError for what the type does not hold."""
    number = number.item() if getattr(number, "ndim", None) == 0 and hasattr(number, "item") else number
    if not isinstance(number, (int, float, np.number, np.bool_)):
        raise TypeError(f"`{called}` is {kind}, not {type(number).__name__}")
    dtype = _arrays.dtype_of(kind)
    if dtype.name == "bool":
        if not isinstance(number, (bool, np.bool_)) and not (isinstance(number, (int, np.integer)) and number in (0, 1)):
            raise TypeError(f"`{called}` is bool, not {number}")
        return bytes([bool(number)])
    if np.issubdtype(dtype, np.integer):
        if isinstance(number, (float, np.floating)) and not float(number).is_integer():
            raise TypeError(f"`{called}` is {kind}, and {number} is no whole number")
        limits = np.iinfo(dtype)
        if not limits.min <= int(number) <= limits.max:
            raise ValueError(f"`{called}` is {kind}, which has no {number}")
        return np.asarray(int(number)).astype(dtype).tobytes()
    try:
        value = float(number)
    except OverflowError:
        raise ValueError(f"`{called}` is {kind}, which has no number of that size") from None
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(dtype).tobytes()


def _elements(value: Any, count: int, called: str, what: str) -> Sequence[Any]:
    ordered = isinstance(value, collections.abc.Sequence) or (hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0)
    if not ordered or isinstance(value, (str, bytes)):
        raise TypeError(f"`{called}` has {count} {what}; pass a list, not {type(value).__name__}")
    found = list(value)
    if len(found) != count:
        raise ValueError(f"`{called}` has {count} {what}, not {len(found)}")
    return found
