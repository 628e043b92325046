"""The arrays that a reference in Python computes with: names for what is right.

Nothing is computed while a reference is read. An `Array` knows its shape, which may hold names, and what each of its
elements is; `_reference_text` writes that down as a reference in C++, whose `Number`s derive the bounds. `_numpy` gives
it NumPy's operators and functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _expressions as ex
from ._expressions import NUMBER, TRUTH, WHOLE, Element, Expression, Indices
from ._sizes import Extent, Size, simplified

Shape = tuple[Extent, ...]


_NO_VALUE = "no element has a value while a reference is read"
_OWN_FUNCTIONS = "take arange, zeros, full and tri of assay.reference in place of numpy's"


class Array:
    """An array of Numbers, of whole numbers or of truth values. Its shape holds numbers and names of dimensions."""

    __array_priority__ = 1000.0

    def __init__(self, shape: Shape, kind: str, element: Element) -> None:
        self.shape = shape
        self.kind = kind
        self._element = element
        self._known: dict[tuple[int, ...], tuple[Indices, Expression]] = {}

    def element(self, indices: Indices) -> Expression:
        """The same expression for the same indices, so that who writes it sees what is shared."""
        key = tuple(id(one) for one in indices)
        if key not in self._known:
            self._known[key] = (indices, self._element(indices))
        return self._known[key][1]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Extent:
        return simplified(ex.product(self.shape))

    @property
    def dtype(self) -> np.dtype:
        """As NumPy has it; of Numbers, which round where the kernel does, float64."""
        return np.dtype({NUMBER: "float64", WHOLE: "int64"}.get(self.kind, self.kind))

    def __setitem__(self, *_: Any) -> None:
        raise TypeError("elements of a reference's arrays are not assigned; build them by where, concatenate or pad")

    def __repr__(self) -> str:
        return f"<array of {self.kind}, {list(self.shape)}>"

    def __len__(self) -> Any:
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.shape or isinstance(self.shape[0], Size):
            raise TypeError(f"an array of shape {list(self.shape)} has no number of rows to go over while a reference is read")
        return (self[i] for i in range(self.shape[0]))  # type: ignore[index]

    def __bool__(self) -> bool:
        raise TypeError(f"{_NO_VALUE}; choose by where(condition, a, b), and {_OWN_FUNCTIONS}")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array of a reference has no values yet; compute with it as it is, and look constants up by table(numbers)[it]")

    def __float__(self) -> float:
        raise TypeError(f"{_NO_VALUE}; compute with it as it is, and {_OWN_FUNCTIONS}")

    __int__ = __float__  # type: ignore[assignment]

    __hash__ = object.__hash__  # type: ignore[assignment]

    if TYPE_CHECKING:  # what _numpy gives it
        def __add__(self, other: Any) -> "Array": ...
        def __radd__(self, other: Any) -> "Array": ...
        def __sub__(self, other: Any) -> "Array": ...
        def __rsub__(self, other: Any) -> "Array": ...
        def __mul__(self, other: Any) -> "Array": ...
        def __rmul__(self, other: Any) -> "Array": ...
        def __truediv__(self, other: Any) -> "Array": ...
        def __rtruediv__(self, other: Any) -> "Array": ...
        def __floordiv__(self, other: Any) -> "Array": ...
        def __rfloordiv__(self, other: Any) -> "Array": ...
        def __mod__(self, other: Any) -> "Array": ...
        def __rmod__(self, other: Any) -> "Array": ...
        def __pow__(self, other: Any) -> "Array": ...
        def __rpow__(self, other: Any) -> "Array": ...
        def __and__(self, other: Any) -> "Array": ...
        def __rand__(self, other: Any) -> "Array": ...
        def __or__(self, other: Any) -> "Array": ...
        def __ror__(self, other: Any) -> "Array": ...
        def __xor__(self, other: Any) -> "Array": ...
        def __rxor__(self, other: Any) -> "Array": ...
        def __lshift__(self, other: Any) -> "Array": ...
        def __rlshift__(self, other: Any) -> "Array": ...
        def __rshift__(self, other: Any) -> "Array": ...
        def __rrshift__(self, other: Any) -> "Array": ...
        def __matmul__(self, other: Any) -> "Array": ...
        def __rmatmul__(self, other: Any) -> "Array": ...
        def __lt__(self, other: Any) -> "Array": ...
        def __le__(self, other: Any) -> "Array": ...
        def __gt__(self, other: Any) -> "Array": ...
        def __ge__(self, other: Any) -> "Array": ...
        def __eq__(self, other: object) -> "Array": ...  # type: ignore[override]
        def __ne__(self, other: object) -> "Array": ...  # type: ignore[override]
        def __neg__(self) -> "Array": ...
        def __invert__(self) -> "Array": ...
        def __abs__(self) -> "Array": ...
        def __getitem__(self, key: Any) -> "Array": ...
        @property
        def T(self) -> "Array": ...
        def astype(self, dtype: Any) -> "Array": ...
        def reshape(self, *shape: Any) -> "Array": ...
        def transpose(self, *axes: Any) -> "Array": ...
        def __getattr__(self, name: str) -> Any: ...  # NumPy's other methods, which _numpy gives it


def scalar(value: Any) -> Array:
    """An array without axes of a number, a size or a truth value."""
    if isinstance(value, Size):
        return Array((), WHOLE, lambda _: ex.size(value))
    if isinstance(value, np.integer):
        return Array((), value.dtype.name, lambda _: ex.typed(int(value), value.dtype.name))
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"a reference computes with arrays and numbers, not with {type(value).__name__}")
    if isinstance(value, int) and 2**63 <= value < 2**64:  # only beside uint64 has it a place
        return Array((), "uint64", lambda _: ex.typed(value, "uint64"))
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} is no whole number of 64 bits")
    return Array((), ex.constant(value).kind, lambda _: ex.constant(value))


def as_array(value: Any) -> Array:
    """Arrays as they are; numbers, sizes, and NumPy's arrays as constants."""
    if isinstance(value, Array):
        return value
    if isinstance(value, (np.ndarray, list, tuple)):
        return table(value)
    return scalar(value)


def table(numbers: Any) -> Array:
    """Constants by index: `table([0.0, 0.5, 1.0])[codes]`."""
    array = np.asarray(numbers)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a table holds numbers, not {array.dtype}")
    if array.ndim == 0:
        return scalar(array[()])
    kind = NUMBER if array.dtype.kind == "f" else TRUTH if array.dtype.kind == "b" else array.dtype.name
    held = NUMBER if kind == NUMBER else WHOLE
    flat = tuple(array.astype(np.float64 if kind == NUMBER else np.int64).reshape(-1).tolist())

    def element(indices: Indices) -> Expression:
        place = ex.constant(0)
        for index, extent in zip(indices, array.shape):
            place = ex.plus(ex.times(place, extent), index) if place.what != 0 or place.operator != "constant" else index
        found = Expression("table", held, (place,), flat)
        return found if held == kind else ex.as_kind(found, TRUTH) if kind == TRUTH else Expression("same", kind, (found,))

    return Array(tuple(array.shape), kind, element)
