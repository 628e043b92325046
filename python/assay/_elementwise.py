"""What references compute of each element: operators, functions with the accuracy that Metal grants, choices."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _expressions as ex
from . import _kinds
from ._expressions import NUMBER, TRUTH, WHOLE, Expression
from ._kinds import common, is_whole, joined
from ._numbers import Array, as_array
from ._shapes import broadcast, broadcast_to, spread_to
from ._sizes import simplified


def elementwise(kind: str, f: Callable[..., Expression], *arrays: Any) -> Array:
    given = [as_array(one) for one in arrays]
    shape = broadcast(one.shape for one in given)
    parts = [spread_to(one, shape) for one in given]
    return Array(shape, kind, lambda indices: f(*(one(indices) for one in parts)))


def arithmetic(operator: str, a: Expression, b: Expression) -> Expression:
    kind = joined([a.kind, b.kind])
    x, y = ex.meeting(a, kind), ex.meeting(b, kind)
    return ex.whole(operator, kind, x, y) if is_whole(kind) else ex.binary(operator, kind, x, y)


def _operator(operator: str, of_truths: str) -> Callable[..., Array]:
    def made(a: Any, b: Any) -> Array:
        a, b = as_array(a), as_array(b)
        if a.kind == TRUTH and b.kind == TRUTH:
            if not of_truths:
                raise TypeError("NumPy subtracts no truth values; take ^, or astype first")
            return logical(of_truths)(a, b)
        return elementwise(joined([a.kind, b.kind]), lambda x, y: arithmetic(operator, x, y), a, b)

    return made


add, subtract, multiply = _operator("+", "||"), _operator("-", ""), _operator("*", "&&")


def divide(a: Any, b: Any) -> Array:
    return elementwise(NUMBER, lambda x, y: ex.binary("/", NUMBER, ex.as_kind(x, NUMBER), ex.as_kind(y, NUMBER)), a, b)


def negative(a: Any) -> Array:
    array = as_array(a)
    kind = array.kind
    if kind == TRUTH:
        raise TypeError("NumPy negates no truth values; take ~, or astype first")
    if kind == NUMBER:
        return elementwise(kind, lambda x: Expression("negative", kind, (x,)), array)
    return elementwise(kind, lambda x: ex.wrapped(Expression("negative", WHOLE, (x,)), kind), array)


def of_wholes(name: str, f: Callable[[Expression, Expression], Expression]) -> Callable[..., Array]:
    """Of two whole numbers one: `f` of two of the same type, an Index, which is kept within their type."""

    def made(a: Any, b: Any) -> Array:
        a, b = as_array(a), as_array(b)
        if NUMBER in (a.kind, b.kind):
            raise TypeError(f"{name} takes whole numbers; of others take floor(a / b), or whole(x) first")
        kind = "int8" if a.kind == b.kind == TRUTH else joined([a.kind, b.kind])
        return elementwise(kind, lambda x, y: ex.wrapped(f(ex.meeting(x, kind), ex.meeting(y, kind)), kind), a, b)

    return made


def helped(helper: str) -> Callable[[Expression, Expression], Expression]:
    """A function of _reference_text, of which there is another for numbers without a sign."""
    return lambda x, y: ex.call(f"unsigned_{helper}" if x.kind == "uint64" else helper, WHOLE, x, y)


def compared(operator: str) -> Callable[..., Array]:
    """By value, whatever the types."""

    def f(x: Expression, y: Expression) -> Expression:
        if NUMBER in (x.kind, y.kind):
            return ex.binary(operator, TRUTH, ex.as_kind(x, NUMBER), ex.as_kind(y, NUMBER))
        if x.kind == "uint64" or y.kind == "uint64":
            return ex.binary(operator, TRUTH, _in_128_bits(x), _in_128_bits(y))
        return ex.binary(operator, TRUTH, ex.as_kind(x, WHOLE), ex.as_kind(y, WHOLE))

    return lambda a, b: elementwise(TRUTH, f, a, b)


def _in_128_bits(one: Expression) -> Expression:
    return ex.call("of_unsigned" if one.kind == "uint64" else "of_signed", "__int128", ex.as_kind(one, one.kind))


def logical(operator: str) -> Callable[..., Array]:
    return lambda a, b: elementwise(
        TRUTH, lambda x, y: ex.binary(operator, TRUTH, ex.as_kind(x, TRUTH), ex.as_kind(y, TRUTH)), a, b
    )


def bits(operator: str, of_truths: str) -> Callable[..., Array]:
    on_wholes = of_wholes(operator, lambda x, y: ex.binary(operator, WHOLE, x, y))
    on_truths = logical(of_truths)
    return lambda a, b: on_truths(a, b) if as_array(a).kind == TRUTH and as_array(b).kind == TRUTH else on_wholes(a, b)


def invert(a: Any) -> Array:
    array = as_array(a)
    kind = array.kind
    if kind == NUMBER:
        raise TypeError("~ takes whole numbers or truth values")
    if kind == TRUTH:
        return elementwise(kind, lambda x: Expression("not", kind, (x,)), array)
    return elementwise(kind, lambda x: ex.wrapped(Expression("invert", WHOLE, (x,)), kind), array)


def function(name: str) -> Callable[[Any], Array]:
    """One of Metal's, with the accuracy that Metal grants it."""
    return lambda a: elementwise(NUMBER, lambda x: ex.call(name, NUMBER, ex.as_kind(x, NUMBER)), a)


def _chosen(name: str, of_truths: str) -> Callable[..., Array]:
    def made(a: Any, b: Any) -> Array:
        a, b = as_array(a), as_array(b)
        if a.kind == TRUTH and b.kind == TRUTH:
            return logical(of_truths)(a, b)
        kind = joined([a.kind, b.kind])

        def f(x: Expression, y: Expression) -> Expression:
            x, y = ex.meeting(x, kind), ex.meeting(y, kind)
            if kind == NUMBER:
                return ex.call(name, NUMBER, x, y)
            less = ex.binary("<", TRUTH, ex.in_order(x), ex.in_order(y))
            return Expression("select", kind, (less, *((y, x) if name == "max" else (x, y))))

        return elementwise(kind, f, a, b)

    return made


maximum, minimum = _chosen("max", "||"), _chosen("min", "&&")


def clip(array: Any, low: Any = None, high: Any = None, **named: Any) -> Array:
    low, high = named.get("min", low), named.get("max", high)
    found = as_array(array) if low is None else maximum(array, low)
    return found if high is None else minimum(found, high)


def absolute(a: Any) -> Array:
    array = as_array(a)
    if array.kind == NUMBER:
        return function("abs")(array)
    return array if array.kind == TRUTH or array.kind.startswith("uint") else maximum(array, negative(array))


def square(a: Any) -> Array:
    return multiply(a, a)


def bit_count(a: Any) -> Array:
    """Bits that are set in the absolute value, as NumPy counts them."""
    array = as_array(a)
    if not is_whole(array.kind):
        raise TypeError("bits are counted of whole numbers")
    name = "unsigned_bits_set" if array.kind == "uint64" else "bits_set"
    return elementwise("uint8", lambda x: ex.wrapped(ex.call(name, WHOLE, x), "uint8"), array)


_power_of_wholes = of_wholes("**", lambda x, y: ex.call("power_of_whole", WHOLE, x, y))


def power(a: Any, b: Any) -> Array:
    """Whole exponents are products and quotients, halves are roots: of what is below 0, `pow` says nothing."""
    exponent = b.item() if isinstance(b, np.generic) else b if isinstance(b, (int, float)) else None
    base = as_array(a)
    if base.kind != NUMBER and as_array(b).kind != NUMBER:
        if isinstance(exponent, int) and exponent < 0:
            raise ValueError("NumPy takes whole numbers to no negative power; take a float as the base")
        return _power_of_wholes(base, b)
    if isinstance(exponent, (int, float)) and abs(exponent) in range(1, 9):
        base = multiply(base, 1.0)
        found = base
        for _ in range(int(abs(exponent)) - 1):
            found = multiply(found, base)
        return found if exponent > 0 else divide(1.0, found)
    if exponent in (0.5, -0.5):
        return function("sqrt" if exponent > 0 else "rsqrt")(a)
    return elementwise(NUMBER, lambda x, y: ex.call("pow", NUMBER, ex.as_kind(x, NUMBER), ex.as_kind(y, NUMBER)), a, b)


def where(condition: Any, a: Any, b: Any) -> Array:
    a, b = as_array(a), as_array(b)
    kind = common([a.kind, b.kind])

    def f(c: Expression, x: Expression, y: Expression) -> Expression:
        return Expression("select", kind, (ex.as_kind(c, TRUTH), ex.meeting(x, kind), ex.meeting(y, kind)))

    return elementwise(kind, f, condition, a, b)


def stored(array: Any, dtype: Any, _how: str = "stored") -> Array:
    """Rounded for certain, as by a store to memory of that type; whole numbers wrap around, what is no whole number is
    cut towards 0."""
    kind, rounded = _kinds.of_dtype(dtype)
    if rounded:
        return function(f"{_how}<{rounded}>")(array)
    return elementwise(kind, lambda x: ex.as_kind(x, kind), array)


def from_bits(name: str) -> Callable[[Any], Array]:
    return lambda a: elementwise(NUMBER, lambda x: ex.call(f"{name}_from_bits", NUMBER, ex.as_kind(x, WHOLE)), a)


def arange(start: Any, stop: Any = None, step: int = 1, dtype: Any = None) -> Array:
    """Whole numbers from `start` up to and without `stop`, int64 as NumPy's; sizes may be names."""
    begin, end = (0, start) if stop is None else (start, stop)
    length = simplified((end - begin + step - 1) // step if step != 1 else end - begin)
    made = Array((length,), "int64", lambda at: ex.wrapped(ex.plus(ex.times(at[0], step), ex.size(begin)), "int64"))
    return made if dtype is None else stored(made, dtype)


def full(shape: Any, value: Any, dtype: Any = None) -> Array:
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    made = as_array(value)
    if dtype is None:
        dtype = "int64" if made.kind == WHOLE else None
    return broadcast_to(made if dtype is None else stored(made, dtype), extents)


def zeros(shape: Any, dtype: Any = None) -> Array:
    return full(shape, 0.0) if dtype is None else full(shape, 0, dtype)
