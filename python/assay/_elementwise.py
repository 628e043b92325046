"""What references compute of each element: operators, functions with the accuracy that Metal grants, choices."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _expressions as ex
from ._expressions import NUMBER, TRUTH, WHOLE, Expression
from ._numbers import Array, as_array
from ._shapes import broadcast, broadcast_to, spread_to
from ._sizes import simplified


def elementwise(kind: str, f: Callable[..., Expression], *arrays: Any) -> Array:
    given = [as_array(one) for one in arrays]
    shape = broadcast(one.shape for one in given)
    parts = [spread_to(one, shape) for one in given]
    return Array(shape, kind, lambda indices: f(*(one(indices) for one in parts)))


def arithmetic(operator: str, a: Expression, b: Expression) -> Expression:
    kind = ex.joined([a.kind, b.kind])
    return ex.binary(operator, kind, ex.as_kind(a, kind), ex.as_kind(b, kind))


def _operator(operator: str) -> Callable[..., Array]:
    def made(a: Any, b: Any) -> Array:
        a, b = as_array(a), as_array(b)
        return elementwise(ex.joined([a.kind, b.kind]), lambda x, y: arithmetic(operator, x, y), a, b)

    return made


add, subtract, multiply = _operator("+"), _operator("-"), _operator("*")


def divide(a: Any, b: Any) -> Array:
    return elementwise(NUMBER, lambda x, y: ex.binary("/", NUMBER, ex.as_kind(x, NUMBER), ex.as_kind(y, NUMBER)), a, b)


def negative(a: Any) -> Array:
    kind = ex.joined([as_array(a).kind])
    return elementwise(kind, lambda x: Expression("negative", kind, (ex.as_kind(x, kind),)), a)


def of_wholes(name: str, f: Callable[[Expression, Expression], Expression]) -> Callable[..., Array]:
    def made(a: Any, b: Any) -> Array:
        for one in (as_array(a), as_array(b)):
            if one.kind == NUMBER:
                raise TypeError(f"{name} takes whole numbers; of others take floor(a / b), or whole(x) first")
        return elementwise(WHOLE, lambda x, y: f(ex.as_kind(x, WHOLE), ex.as_kind(y, WHOLE)), a, b)

    return made


def compared(operator: str) -> Callable[..., Array]:
    def f(x: Expression, y: Expression) -> Expression:
        kind = ex.joined([x.kind, y.kind])
        return ex.binary(operator, TRUTH, ex.as_kind(x, kind), ex.as_kind(y, kind))

    return lambda a, b: elementwise(TRUTH, f, a, b)


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
    if array.kind == NUMBER:
        raise TypeError("~ takes whole numbers or truth values")
    return elementwise(array.kind, lambda x: Expression("not" if array.kind == TRUTH else "invert", array.kind, (x,)), array)


def function(name: str) -> Callable[[Any], Array]:
    """One of Metal's, with the accuracy that Metal grants it."""
    return lambda a: elementwise(NUMBER, lambda x: ex.call(name, NUMBER, ex.as_kind(x, NUMBER)), a)


def _chosen(name: str) -> Callable[..., Array]:
    def f(x: Expression, y: Expression) -> Expression:
        kind = ex.joined([x.kind, y.kind])
        a, b = ex.as_kind(x, kind), ex.as_kind(y, kind)
        if kind == NUMBER:
            return ex.call(name, NUMBER, a, b)
        return Expression("select", WHOLE, (ex.binary("<", TRUTH, a, b), *((b, a) if name == "max" else (a, b))))

    def made(a: Any, b: Any) -> Array:
        return elementwise(ex.joined([as_array(a).kind, as_array(b).kind]), f, a, b)

    return made


maximum, minimum = _chosen("max"), _chosen("min")


def clip(array: Any, low: Any = None, high: Any = None, **named: Any) -> Array:
    low, high = named.get("min", low), named.get("max", high)
    found = as_array(array) if low is None else maximum(array, low)
    return found if high is None else minimum(found, high)


def absolute(a: Any) -> Array:
    array = as_array(a)
    return function("abs")(array) if array.kind == NUMBER else maximum(array, negative(array))


def square(a: Any) -> Array:
    return multiply(a, a)


def power(a: Any, b: Any) -> Array:
    """Whole exponents are products and quotients, halves are roots: of what is below 0, `pow` says nothing."""
    exponent = b.item() if isinstance(b, np.generic) else b
    if isinstance(exponent, (int, float)) and abs(exponent) in range(1, 9):
        base = as_array(a) if isinstance(exponent, int) and exponent > 0 else multiply(as_array(a), 1.0)
        found = base
        for _ in range(int(abs(exponent)) - 1):
            found = multiply(found, base)
        return found if exponent > 0 else divide(1.0, found)
    if exponent in (0.5, -0.5):
        return function("sqrt" if exponent > 0 else "rsqrt")(a)
    return elementwise(NUMBER, lambda x, y: ex.call("pow", NUMBER, ex.as_kind(x, NUMBER), ex.as_kind(y, NUMBER)), a, b)


def where(condition: Any, a: Any, b: Any) -> Array:
    a, b = as_array(a), as_array(b)
    kind = a.kind if a.kind == b.kind else ex.joined([a.kind, b.kind])

    def f(c: Expression, x: Expression, y: Expression) -> Expression:
        return Expression("select", kind, (ex.as_kind(c, TRUTH), ex.as_kind(x, kind), ex.as_kind(y, kind)))

    return elementwise(kind, f, condition, a, b)


_STORED = {"float16": "half", "half": "half", "bfloat16": "bfloat", "bfloat": "bfloat", "float32": "single", "float": "single"}


def _format(dtype: Any) -> str:
    return getattr(dtype, "name", None) or (dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype)))


def stored(array: Any, dtype: Any, _how: str = "stored") -> Array:
    """Rounded for certain, as by a store to memory of that type; cut towards 0 for types of whole numbers."""
    name = _format(dtype)
    if name in _STORED:
        return function(f"{_how}<{_STORED[name]}>")(array)
    if name.startswith(("int", "uint", "short", "ushort", "char", "uchar", "long")):
        return elementwise(WHOLE, lambda x: ex.as_kind(x, WHOLE), array)
    if name == "bool":
        return elementwise(TRUTH, lambda x: ex.as_kind(x, TRUTH), array)
    raise TypeError(f"a kernel stores half, bfloat, float and whole numbers, no {name}")


def from_bits(name: str) -> Callable[[Any], Array]:
    return lambda a: elementwise(NUMBER, lambda x: ex.call(f"{name}_from_bits", NUMBER, ex.as_kind(x, WHOLE)), a)


def arange(start: Any, stop: Any = None, step: int = 1) -> Array:
    """Whole numbers from `start` up to and without `stop`; sizes may be names."""
    begin, end = (0, start) if stop is None else (start, stop)
    length = simplified((end - begin + step - 1) // step if step != 1 else end - begin)
    return Array((length,), WHOLE, lambda at: ex.plus(ex.times(at[0], step), ex.size(begin)))


def full(shape: Any, value: Any) -> Array:
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return broadcast_to(as_array(value), extents)


def zeros(shape: Any, dtype: Any = None) -> Array:
    return full(shape, 0 if dtype is not None and "int" in _format(dtype) else 0.0)
