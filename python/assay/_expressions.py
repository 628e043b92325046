"""What one element of an array is, as a tree: what a reference in C++ says of it (docs/own_operation.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from ._sizes import Extent

#: What an element is in C++: Number, Index or bool.
NUMBER, WHOLE, TRUTH = "Number", "Index", "bool"


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


def size(value: Extent) -> Expression:
    return constant(value) if isinstance(value, int) else Expression("size", WHOLE, (), value)


def call(function: str, kind: str, *arguments: Expression) -> Expression:
    return Expression("call", kind, arguments, function)


def binary(operator: str, kind: str, a: Expression, b: Expression) -> Expression:
    return Expression("binary", kind, (a, b), operator)


def as_kind(one: Expression, kind: str) -> Expression:
    if one.kind == kind:
        return one
    if kind == TRUTH:
        return binary("!=", TRUTH, one, constant(0))
    if kind == WHOLE and one.kind == NUMBER:
        return call("whole", WHOLE, one)
    return Expression("convert", kind, (one,))


def plus(a: Expression, b: Expression) -> Expression:
    if _is(a, 0):
        return b
    return a if _is(b, 0) else binary("+", WHOLE, a, b)


def times(a: Expression, factor: Extent) -> Expression:
    return a if factor == 1 and isinstance(factor, int) else binary("*", WHOLE, a, size(factor))


def _is(one: Expression, value: int) -> bool:
    return one.operator == "constant" and one.kind == WHOLE and one.what == value


def joined(kinds: list[str]) -> str:
    """The kind that all of these are in a sum."""
    return NUMBER if NUMBER in kinds else WHOLE


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
