"""Sizes of a problem while a reference is read: names and what is computed from them, not numbers yet.

A reference is read once for all sizes. Two sizes are the same where they are the same number in each of a few problems.
"""

from __future__ import annotations

import contextvars
from typing import Any, Callable, Mapping, Union

Problem = Mapping[str, int]  #: a value for each dimension

#: Problems by which sizes are compared, of the operation that is read.
problems: contextvars.ContextVar[list[dict[str, int]]] = contextvars.ContextVar("problems")


#: What leaves a size as it is.
_NOTHING = [("+", 0), ("-", 0), ("*", 1), ("/", 1)]


class Size:
    """A whole number that hangs on the dimensions: `N`, `N // 2`, `kv_heads * group`."""

    __slots__ = ("text", "at")
    def __init__(self, text: str, at: Callable[[Problem], int]) -> None:
        self.text = text  #: in C++
        self.at = at  #: what it is in a problem

    def __repr__(self) -> str:
        return self.text

    def _with(self, operator: str, other: Any, f: Callable[[int, int], int], swapped: bool = False) -> Any:
        if isinstance(other, bool) or not isinstance(other, (int, Size)):
            return NotImplemented
        a, b = (other, self) if swapped else (self, other)
        if (isinstance(b, int) and (operator, b) in _NOTHING) or (isinstance(a, int) and (a, operator) in ((0, "+"), (1, "*"))):
            return b if isinstance(a, int) else a
        return simplified(Size(f"({text_of(a)} {operator} {text_of(b)})", lambda problem: f(at(a, problem), at(b, problem))))

    def __add__(self, other: Any) -> Any:
        return self._with("+", other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, lambda a, b: a + b, True)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, lambda a, b: a - b, True)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, lambda a, b: a * b, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._with("/", other, lambda a, b: a // b)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with("/", other, lambda a, b: a // b, True)

    def __mod__(self, other: Any) -> Any:
        return self._with("%", other, lambda a, b: a % b)

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << other) if isinstance(other, int) and 0 <= other < 63 else NotImplemented

    def __lshift__(self, other: Any) -> Any:
        return self * (1 << other) if isinstance(other, int) and 0 <= other < 63 else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self % (other + 1) if isinstance(other, int) and other > 0 and other & (other + 1) == 0 else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __truediv__(self, other: Any) -> Any:
        return self._number() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._number()

    def __pow__(self, other: Any) -> Any:
        return self._number() ** other

    def __neg__(self) -> Any:
        return 0 - self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return self._number().__array_ufunc__(ufunc, method, *inputs, **named)

    def _number(self) -> Any:
        from ._numbers import scalar

        return scalar(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, Size)) and same(self, other)

    def __hash__(self) -> int:
        return hash(tuple(self.at(problem) for problem in problems.get()))

    def _no_number(self, *_: Any) -> Any:
        raise ValueError(
            f"{self.text} is a name while a reference is read, which is done once for all sizes: no loop runs over it, "
            "and no branch hangs on it; use where, sums, slices, and arange, zeros, full and tri of assay.reference in place of numpy's"
        )

    __index__ = __int__ = __float__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = _no_number


Extent = Union[int, Size]


def text_of(size: Extent) -> str:
    return size.text if isinstance(size, Size) else str(size)


def at(size: Extent, problem: Problem) -> int:
    return size.at(problem) if isinstance(size, Size) else size


def values(size: Extent) -> list[int]:
    """In each of the problems."""
    return [at(size, problem) for problem in problems.get()]


def same(a: Extent, b: Extent) -> bool:
    return values(a) == values(b)


def simplified(size: Extent) -> Extent:
    """A number where it is the same in all problems, of which no dimension is."""
    known = set(values(size))
    return known.pop() if len(known) == 1 else size
