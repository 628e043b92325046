"""What one element of an array is, as a tree: what a reference in C++ says of it (docs/own_operation.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from . import _kinds
from ._kinds import NUMBER, TRUTH, WHOLE
from ._sizes import Extent


@dataclass(frozen=True, eq=False)
class Expression:
    """`operator` is a name that _reference_text knows how to write; `what` says which constant, tensor or function."""

    operator: str
    kind: str
    arguments: tuple["Expression", ...] = ()
    what: Any = None


@dataclass(frozen=True, eq=False)
class Cut:
    """Elements that a reference works out once and keeps, for others hang on all of them: sums, the largest, order.

    `body` gives what an element is, of an index on each axis. What else there is depends on `how`:
    "sum", "largest", "least": of body(index, r), r from 0 to count - 1;
    "running": the sum of all up to the last index; "order": which place has the index-th largest or least of `count`.
    """

    how: str
    kind: str
    shape: tuple[Extent, ...]
    body: Callable[..., Expression]
    count: Extent = 0
    descending: bool = False


Indices = tuple[Expression, ...]


def variable(name: str) -> Expression:
    return Expression("variable", WHOLE, (), name)


def constant(value: Any) -> Expression:
    if isinstance(value, bool):
        return Expression("constant", TRUTH, (), value)
    return Expression("constant", WHOLE if isinstance(value, int) else NUMBER, (), value)


def typed(value: int, kind: str) -> Expression:
    return Expression("same", kind, (constant(value if value < 2**63 else value - 2**64),))


def size(value: Extent) -> Expression:
    return constant(value) if isinstance(value, int) else Expression("size", WHOLE, (), value)


def call(function: str, kind: str, *arguments: Expression) -> Expression:
    return Expression("call", kind, arguments, function)


def binary(operator: str, kind: str, a: Expression, b: Expression) -> Expression:
    return Expression("binary", kind, (a, b), operator)


def as_kind(one: Expression, kind: str) -> Expression:
    """The same value, or what NumPy's conversion makes of it: whole numbers wrap around. Of Numbers that a type does not
    hold neither NumPy nor Metal says anything; the nearest that it holds is taken."""
    if one.kind == kind:
        return one
    if kind == TRUTH:
        return binary("!=", TRUTH, one, constant(0))
    if kind == NUMBER:
        return Expression("convert", NUMBER, (one,))
    if one.kind == NUMBER:
        cut = call("whole", WHOLE, one)
        if kind in (WHOLE, "int64", "uint64"):
            return Expression("same", kind, (cut,))
        low, high = _kinds.limits(kind)
        return Expression("same", kind, (call("within", WHOLE, cut, constant(low), constant(high)),))
    if one.kind == TRUTH:
        return Expression("convert", kind, (one,))
    return wrapped(one, kind)


def meeting(one: Expression, kind: str) -> Expression:
    """As an operand of an operation of that kind. What a Python number cannot be there is an error, as in NumPy."""
    if one.operator == "constant" and one.kind == WHOLE and kind in _kinds.INTEGERS:
        low, high = _kinds.limits(kind)
        if not low <= one.what <= high:
            raise OverflowError(f"{one.what} is no {kind}, which is the type of the array that it meets")
    return as_kind(one, kind)


def wrapped(one: Expression, kind: str) -> Expression:
    """A whole number of any width as one of that type."""
    if kind in (WHOLE, "int64", "uint64"):
        return Expression("same", kind, (one,))
    if one.kind in _kinds.INTEGERS and _kinds.limits(kind)[0] <= _kinds.limits(one.kind)[0]:
        if _kinds.limits(one.kind)[1] <= _kinds.limits(kind)[1]:
            return Expression("same", kind, (one,))
    return Expression("wrap", kind, (one,))


def whole(operator: str, kind: str, a: Expression, b: Expression) -> Expression:
    """An operation on whole numbers whose result may need more bits than its type has."""
    made = binary(operator, WHOLE, a, b)
    return made if kind == WHOLE else wrapped(made, kind)


def in_order(one: Expression) -> Expression:
    """A whole number that stands among others as this one among its like: Index has a sign, uint64 has none."""
    return binary("^", WHOLE, one, constant(-(2**63))) if one.kind == "uint64" else one


def plus(a: Expression, b: Expression) -> Expression:
    if _is(a, 0):
        return b
    return a if _is(b, 0) else binary("+", WHOLE, a, b)


def times(a: Expression, factor: Extent) -> Expression:
    return a if factor == 1 and isinstance(factor, int) else binary("*", WHOLE, a, size(factor))


def _is(one: Expression, value: int) -> bool:
    return one.operator == "constant" and one.kind == WHOLE and one.what == value


def spread(flat: Expression, extents: tuple[Extent, ...]) -> Indices:
    """Indices on some axes of the element with that number, in row-major order."""
    if not extents:
        return ()
    if len(extents) == 1:
        return (flat,)
    found: list[Expression] = []
    rest = flat
    for extent in reversed(extents[1:]):
        found.append(binary("%", WHOLE, rest, size(extent)))
        rest = binary("/", WHOLE, rest, size(extent))
    return (rest, *reversed(found))


def product(extents: tuple[Extent, ...]) -> Extent:
    all_of_them: Extent = 1
    for one in extents:
        all_of_them = all_of_them * one if all_of_them != 1 else one
    return all_of_them


Element = Callable[[Indices], Expression]
