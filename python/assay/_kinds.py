"""Kinds of element: Numbers with bounds, truth values, and whole numbers with the widths that NumPy gives them.

All whole numbers are `Index` in C++, 64 bits that wrap around; one of a narrower type is kept within it. What is a
Python number takes the type of the array that it meets, as in NumPy 2.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

#: `WHOLE`: a whole number of no type yet, of which are sizes, indices and Python's integers.
NUMBER, WHOLE, TRUTH = "Number", "Index", "bool"
_METAL = {
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "ulong": "uint64",
}
INTEGERS = tuple(_METAL.values())
#: Types that stores round to, by their names in NumPy and in Metal; of double precision nothing is rounded.
_FLOATS = {"float16": "half", "half": "half", "bfloat16": "bfloat", "bfloat": "bfloat", "float32": "single", "float": "single"}
_EXACT = ("float64", "double")


def is_whole(kind: str) -> bool:
    return kind == WHOLE or kind in INTEGERS


def in_cpp(kind: str) -> str:
    """What holds it in a reference in C++."""
    return WHOLE if is_whole(kind) else kind


def limits(kind: str) -> tuple[int, int]:
    """The least and the largest whole number of a type."""
    info = np.iinfo(kind)
    return int(info.min), int(info.max)


def of_type(name: str) -> str:
    """The kind of the elements of a tensor, by the name of its type in Metal."""
    if name in ("half", "bfloat", "float"):
        return NUMBER
    return TRUTH if name == "bool" else _METAL.get(name, WHOLE)


def of_dtype(dtype: Any) -> tuple[str, Optional[str]]:
    """The kind of a type of NumPy or Metal, and the format that it rounds to, if it rounds."""
    if dtype in (bool, int, float):
        dtype = np.dtype(dtype)
    name = getattr(dtype, "name", None) or (dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype)))
    if name in _FLOATS:
        return NUMBER, _FLOATS[name]
    if name in _EXACT:
        return NUMBER, None
    name = _METAL.get(name, "bool" if name == "bool_" else name)
    if name == TRUTH or name in INTEGERS:
        return name, None
    raise TypeError(f"a kernel stores half, bfloat, float, bool and whole numbers, no {name}")


def joined(kinds: Sequence[str]) -> str:
    """The kind of a sum of these."""
    if NUMBER in kinds:
        return NUMBER
    typed = [one for one in kinds if one in INTEGERS]
    if not typed:
        return "int64" if TRUTH in kinds and WHOLE in kinds else WHOLE
    made = typed[0]
    for one in typed[1:]:
        made = np.promote_types(made, one).name
    if made not in INTEGERS:
        raise TypeError(f"NumPy makes floating-point numbers of {' and '.join(sorted(set(typed)))}; say by astype which is meant")
    return made


def common(kinds: Sequence[str]) -> str:
    """The kind of elements that stand side by side: `where`, `concatenate`."""
    return kinds[0] if len(set(kinds)) == 1 else joined(kinds)


def summed(kind: str) -> str:
    """The kind of a sum over an axis, which NumPy takes in 64 bits."""
    if kind in INTEGERS or kind == TRUTH:
        return "uint64" if kind.startswith("uint") else "int64"
    return kind
