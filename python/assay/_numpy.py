"""NumPy's names for what references compute: its operators, functions and methods, on arrays of references."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Sequence

import numpy as np

from . import _expressions as ex
from ._elementwise import (
    absolute,
    add,
    arange,
    bit_count,
    bits,
    clip,
    compared,
    divide,
    elementwise,
    full,
    function,
    helped,
    invert,
    logical,
    maximum,
    minimum,
    multiply,
    negative,
    of_wholes,
    power,
    square,
    stored,
    subtract,
    where,
)
from ._expressions import NUMBER, TRUTH
from ._kinds import INTEGERS, of_dtype
from ._numbers import Array, as_array
from ._rearranged import flip, outer, pad, roll, split, tril, triu
from ._shapes import (
    broadcast_to,
    concatenate,
    expand_dims,
    indexed,
    moveaxis,
    repeat,
    reshape,
    squeeze,
    stack,
    swapaxes,
    take,
    take_along_axis,
    transpose,
)
from ._sizes import Extent
from ._sums import argmax, argmin, argsort, cumsum, einsum, largest, least, matmul, mean, sort, sum_of, var


def bincount(array: Any, weights: Any = None, minlength: Extent = 0) -> Array:
    """How often each of `minlength` numbers is there."""
    array = as_array(array)
    if array.ndim != 1 or weights is not None or (isinstance(minlength, int) and minlength < 1):
        raise ValueError("bincount takes one axis of whole numbers, and minlength: how many are counted")
    return sum_of(compared("==")(expand_dims(array, 0), expand_dims(arange(minlength), 1)), 1)


_floor_divide = of_wholes("//", helped("floor_of_quotient"))
_remainder = of_wholes("%", helped("rest_of_floor"))

_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "true_divide": divide,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "power": power,
    "float_power": power,
    "negative": negative,
    "positive": as_array,
    "maximum": maximum,
    "minimum": minimum,
    "fmax": maximum,
    "fmin": minimum,
    "absolute": absolute,
    "fabs": absolute,
    "square": square,
    "reciprocal": lambda a: divide(1, a),
    "less": compared("<"),
    "less_equal": compared("<="),
    "greater": compared(">"),
    "greater_equal": compared(">="),
    "equal": compared("=="),
    "not_equal": compared("!="),
    "logical_and": logical("&&"),
    "logical_or": logical("||"),
    "logical_not": lambda a: invert(elementwise(TRUTH, lambda x: ex.as_kind(x, TRUTH), a)),
    "bitwise_and": bits("&", "&&"),
    "bitwise_or": bits("|", "||"),
    "bitwise_xor": bits("^", "!="),
    "invert": invert,
    "left_shift": of_wholes("<<", helped("shifted_left")),
    "right_shift": of_wholes(">>", helped("shifted_right")),
    "matmul": matmul,
    "isnan": lambda a: elementwise(TRUTH, lambda x: ex.call("isnan", TRUTH, ex.as_kind(x, NUMBER)), a),
    "bitwise_count": bit_count,
    "isinf": lambda a: compared("==")(absolute(multiply(a, 1.0)), math.inf),
    "isfinite": lambda a: compared("<")(absolute(multiply(a, 1.0)), math.inf),
    "sign": lambda a: where(compared(">")(a, 0), 1, where(compared("<")(a, 0), -1, multiply(a, 0))),
    "hypot": lambda a, b: function("sqrt")(add(square(multiply(a, 1.0)), square(multiply(b, 1.0)))),
    "divmod": lambda a, b: (_floor_divide(a, b), _remainder(a, b)),
    **{
        name: function(metal)
        for name, metal in {
            **{same_name: same_name for same_name in "exp exp2 log log2 log10 sqrt sin cos tanh sinh cosh".split()},
            **{same_name: same_name for same_name in "floor ceil rint trunc".split()},
            "arcsin": "asin",
            "arccos": "acos",
            "arctan": "atan",
        }.items()
    },
}

_REDUCED: dict[str, Callable[..., Array]] = {
    "add": lambda array, axis=0, dtype=None, keepdims=False: sum_of(array, axis, keepdims, dtype),
    "maximum": lambda array, axis=0, keepdims=False: largest(array, axis, keepdims),
    "minimum": lambda array, axis=0, keepdims=False: least(array, axis, keepdims),
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda a, axis=None, dtype=None, keepdims=False: sum_of(a, axis, keepdims, dtype),
    "mean": mean,
    "var": var,
    "max": largest,
    "amax": largest,
    "min": least,
    "amin": least,
    "cumsum": cumsum,
    "argmax": argmax,
    "argmin": argmin,
    "argsort": argsort,
    "any": lambda a, axis=None, keepdims=False: largest(_truths(a), axis, keepdims),
    "all": lambda a, axis=None, keepdims=False: least(_truths(a), axis, keepdims),
    "count_nonzero": lambda a, axis=None, keepdims=False: sum_of(_truths(a), axis, keepdims),
    "std": lambda a, axis=None, keepdims=False, ddof=0: function("sqrt")(var(a, axis, keepdims, ddof)),
    "round": lambda a, decimals=0: _rounded(a, decimals),
    "copy": as_array,
    "ravel": lambda a: reshape(a, (-1,)),
    "shape": lambda a: as_array(a).shape,
    "vstack": lambda arrays: concatenate([one if as_array(one).ndim > 1 else expand_dims(one, 0) for one in arrays], 0),
    "hstack": lambda arrays: concatenate(arrays, 0 if as_array(arrays[0]).ndim == 1 else 1),
    "diff": lambda a, axis=-1: _steps(as_array(a), axis),
    "sort": sort,
    "where": where,
    "clip": clip,
    "dot": matmul,
    "einsum": einsum,
    "take": take,
    "take_along_axis": take_along_axis,
    "bincount": bincount,
    "reshape": reshape,
    "transpose": transpose,
    "swapaxes": swapaxes,
    "moveaxis": moveaxis,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "broadcast_to": broadcast_to,
    "repeat": repeat,
    "concatenate": concatenate,
    "stack": stack,
    "pad": pad,
    "flip": flip,
    "roll": roll,
    "split": split,
    "outer": outer,
    "tril": tril,
    "triu": triu,
    "zeros_like": lambda a, dtype=None: _like(a, 0, dtype),
    "ones_like": lambda a, dtype=None: _like(a, 1, dtype),
    "full_like": lambda a, fill_value, dtype=None: _like(a, fill_value, dtype),
}


def _rounded(a: Any, decimals: int = 0) -> Array:
    if decimals != 0:
        raise ValueError("a reference rounds to whole numbers alone; scale before and after")
    return function("rint")(a) if as_array(a).kind == NUMBER else as_array(a)


def _viewed(array: Array, dtype: Any) -> Array:
    """The same bits as a whole number of the same width."""
    kind, _ = of_dtype(dtype)
    if array.kind not in INTEGERS or kind not in INTEGERS or np.dtype(kind).itemsize != array.dtype.itemsize:
        raise TypeError(f"view takes {array.dtype} as whole numbers of the same width; for others take half_from_bits and its like")
    return stored(array, kind)


def _truths(a: Any) -> Array:
    return elementwise(TRUTH, lambda x: ex.as_kind(x, TRUTH), a)


def _steps(array: Array, axis: int) -> Array:
    ahead = (slice(None),) * (axis % array.ndim)
    return subtract(indexed(array, ahead + (slice(1, None),)), indexed(array, ahead + (slice(None, -1),)))


def _like(a: Any, value: Any, dtype: Any) -> Array:
    array = as_array(a)
    found = full(array.shape, value)
    return stored(found, dtype or array.kind) if dtype is not None or array.kind != NUMBER else multiply(found, 1.0)


_NO_FUNCTION = "is no function of references; docs/python.md lists those that are"


def _called(name: str, made: Callable[..., Any], inputs: Sequence[Any], named: dict[str, Any]) -> Any:
    given = {key: value for key, value in named.items() if value is not None and value is not np._NoValue}
    try:
        inspect.signature(made).bind(*inputs, **given)
    except TypeError as error:
        raise TypeError(f"numpy.{name} in a reference: {error}") from None
    return made(*inputs, **given)


def _array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
    name = ufunc.__name__
    if method == "reduce" and name in _REDUCED:
        return _called(f"{name}.reduce", _REDUCED[name], inputs, named)
    if method != "__call__" or name not in _UFUNCS:
        raise TypeError(f"numpy.{name}{'' if method == '__call__' else '.' + method} {_NO_FUNCTION}")
    return _called(name, _UFUNCS[name], inputs, named)


def _array_function(self: Array, function: Any, types: Any, inputs: Sequence[Any], named: dict[str, Any]) -> Any:
    if function.__name__ not in _FUNCTIONS:
        raise TypeError(f"numpy.{function.__name__} {_NO_FUNCTION}")
    return _called(function.__name__, _FUNCTIONS[function.__name__], inputs, named)


def _reshape(self: Array, *shape: Any) -> Array:
    return reshape(self, shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)


def _transpose(self: Array, *axes: Any) -> Array:
    return transpose(self, (axes[0] if isinstance(axes[0], (tuple, list)) else axes) if axes else None)


def _method(name: str) -> Callable[..., Any]:
    return lambda array, *inputs, **named: _called(name, _FUNCTIONS[name], (array, *inputs), named)


def _no_attribute(self: Array, name: str) -> Any:
    raise AttributeError(f"an array of a reference has no {name}; docs/python.md lists what it has")


def _install_operators() -> None:
    names = {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
        "floordiv": "floor_divide",
        "mod": "remainder",
        "pow": "power",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
        "lshift": "left_shift",
        "rshift": "right_shift",
        "matmul": "matmul",
    }
    for name, made in names.items():
        setattr(Array, f"__{name}__", lambda a, b, f=_UFUNCS[made]: f(a, b))
        setattr(Array, f"__r{name}__", lambda a, b, f=_UFUNCS[made]: f(b, a))
    compared = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}
    for name, made in compared.items():
        setattr(Array, f"__{name}__", lambda a, b, f=_UFUNCS[made]: f(a, b))
    for name, made in (("__array_ufunc__", _array_ufunc), ("__array_function__", _array_function)):
        setattr(Array, name, made)
    setattr(Array, "__getitem__", indexed)
    setattr(Array, "reshape", _reshape)
    setattr(Array, "transpose", _transpose)
    setattr(Array, "T", property(transpose))
    setattr(Array, "astype", lambda a, dtype, copy=True: stored(a, dtype))
    setattr(Array, "view", _viewed)
    setattr(Array, "__pos__", as_array)
    setattr(Array, "__divmod__", _UFUNCS["divmod"])
    setattr(Array, "mT", property(lambda a: swapaxes(a, -1, -2)))
    for name in ("copy", "ravel", "round"):
        setattr(Array, name, _method(name))
    setattr(Array, "flatten", _method("ravel"))
    setattr(Array, "__getattr__", _no_attribute)
    setattr(Array, "__neg__", negative)
    setattr(Array, "__invert__", invert)
    setattr(Array, "__abs__", absolute)
    for name in ("any", "all", "std", "mean", "var", "cumsum", "argmax", "argmin", "argsort", "clip", "squeeze", "repeat", "take", "dot"):
        setattr(Array, name, _method(name))
    for name in ("max", "min", "sum"):
        setattr(Array, name, _method(name))


_install_operators()
