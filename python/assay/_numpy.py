"""NumPy's names for what references compute: its operators, functions and methods, on arrays of references."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from . import _expressions as ex
from ._elementwise import (
    absolute,
    add,
    arange,
    bits,
    clip,
    compared,
    divide,
    elementwise,
    full,
    function,
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
    zeros,
)
from ._expressions import NUMBER, TRUTH, WHOLE
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


_floor_divide = of_wholes("//", lambda x, y: ex.call("floor_of_quotient", WHOLE, x, y))
_remainder = of_wholes("%", lambda x, y: ex.call("rest_of_floor", WHOLE, x, y))

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
    "bitwise_xor": of_wholes("^", lambda x, y: ex.binary("^", WHOLE, x, y)),
    "invert": invert,
    "left_shift": of_wholes("<<", lambda x, y: ex.binary("<<", WHOLE, x, y)),
    "right_shift": of_wholes(">>", lambda x, y: ex.binary(">>", WHOLE, x, y)),
    "matmul": matmul,
    "isnan": lambda a: elementwise(TRUTH, lambda x: ex.call("isnan", TRUTH, ex.as_kind(x, NUMBER)), a),
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
    "add": lambda array, axis=0, keepdims=False, **_: sum_of(array, axis, keepdims),
    "maximum": lambda array, axis=0, keepdims=False, **_: largest(array, axis, keepdims),
    "minimum": lambda array, axis=0, keepdims=False, **_: least(array, axis, keepdims),
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": sum_of,
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
    "zeros_like": lambda a: zeros(as_array(a).shape, "int" if as_array(a).kind == WHOLE else None),
    "ones_like": lambda a: full(as_array(a).shape, 1 if as_array(a).kind == WHOLE else 1.0),
}


_NO_FUNCTION = "is no function of references; docs/python.md lists those that are"


def _array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
    if method == "reduce" and ufunc.__name__ in _REDUCED:
        return _REDUCED[ufunc.__name__](*inputs, **named)
    made = _UFUNCS.get(ufunc.__name__)
    if method != "__call__" or made is None or any(value is not None for value in named.values()):
        raise TypeError(f"numpy.{ufunc.__name__} {_NO_FUNCTION}")
    return made(*inputs)


def _array_function(self: Array, function: Any, types: Any, inputs: Sequence[Any], named: dict[str, Any]) -> Any:
    made = _FUNCTIONS.get(function.__name__)
    if made is None:
        raise TypeError(f"numpy.{function.__name__} {_NO_FUNCTION}")
    return made(*inputs, **named)


def _reshape(self: Array, *shape: Any) -> Array:
    return reshape(self, shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)


def _transpose(self: Array, *axes: Any) -> Array:
    return transpose(self, (axes[0] if isinstance(axes[0], (tuple, list)) else axes) if axes else None)


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
    setattr(Array, "astype", stored)
    setattr(Array, "__neg__", negative)
    setattr(Array, "__invert__", invert)
    setattr(Array, "__abs__", absolute)
    for name in ("mean", "var", "cumsum", "argmax", "argmin", "argsort", "clip", "squeeze", "repeat", "take", "dot"):
        setattr(Array, name, lambda a, *given, f=_FUNCTIONS[name], **named: f(a, *given, **named))
    for name in ("sum", "max", "min"):
        setattr(Array, name, lambda a, axis=None, keepdims=False, f=_FUNCTIONS[name]: f(a, axis, keepdims))


_install_operators()
