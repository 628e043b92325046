"""What references in Python use beside NumPy's own functions and operators (docs/python.md, "Verify").

    def rms_norm(x, w, eps):
        return x * rsqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * w
"""

from __future__ import annotations

from typing import Any

from . import _elementwise
from . import _expressions as _ex
from ._elementwise import arange, full, stored, where, zeros
from ._numbers import Array, as_array, table
from ._numpy import bincount
from ._rearranged import tri
from ._shapes import repeat
from ._sums import largest as _largest
from ._sums import sum_of as _sum_of
from ._sums import top_k

__all__ = [
    "Array",
    "arange",
    "bfloat_from_bits",
    "bincount",
    "cospi",
    "exp10",
    "float_from_bits",
    "full",
    "half_from_bits",
    "maybe_stored",
    "pow",
    "repeat",
    "round",
    "rsqrt",
    "sigmoid",
    "sinpi",
    "softmax",
    "stored",
    "table",
    "top_k",
    "tri",
    "where",
    "whole",
    "zeros",
]

#: 1 / sqrt(x), as Metal's own function has it.
rsqrt = _elementwise.function("rsqrt")
exp10 = _elementwise.function("exp10")
sinpi = _elementwise.function("sinpi")
cospi = _elementwise.function("cospi")
#: To the nearest whole number, of two the one further from 0; numpy.rint takes the even one.
round = _elementwise.function("round")
#: Numbers that are stored as whole numbers with the same bits, of 16 or 32 bits.
half_from_bits = _elementwise.from_bits("half")
bfloat_from_bits = _elementwise.from_bits("bfloat")
float_from_bits = _elementwise.from_bits("float")
pow = _elementwise.power


def maybe_stored(array: Any, dtype: Any) -> Array:
    """Rounded to that type, or not: a kernel may keep it in either."""
    return stored(array, dtype, "maybe_stored")


def whole(array: Any) -> Array:
    """Cut towards 0 to a whole number."""
    return _elementwise.elementwise(_ex.WHOLE, lambda x: _ex.as_kind(x, _ex.WHOLE), array)


def sigmoid(x: Any) -> Array:
    return 1 / (1 + _elementwise.function("exp")(-as_array(x)))


def softmax(x: Any, axis: int = -1) -> Array:
    """exp(x - the largest) over their sum."""
    e = _elementwise.function("exp")(x - _largest(x, axis, True))
    return e / _sum_of(e, axis, True)
