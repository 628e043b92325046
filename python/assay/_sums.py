"""Sums, and what else hangs on all elements of an axis: the largest, order, products of matrices."""

from __future__ import annotations

from typing import Any, Optional

from . import _expressions as ex
from ._elementwise import arithmetic, divide, multiply, subtract
from ._expressions import NUMBER, TRUTH, WHOLE, Cut, Expression, Indices
from ._kinds import common, of_dtype, summed
from ._numbers import Array, as_array
from ._shapes import axes_of, expand_dims, indexed, moveaxis, reshape, squeeze, take_along_axis
from ._sizes import Extent, same


def reduced(how: str, array: Any, axis: Any, keepdims: bool, kind: Optional[str] = None) -> Array:
    """`kind`: of the result; without it, that of the elements. Whole numbers are added up in 64 bits."""
    array = as_array(array)
    axes = axes_of(axis, array.ndim)
    kept = [i for i in range(array.ndim) if i not in axes]
    shape = tuple(array.shape[i] for i in kept)
    extents = tuple(array.shape[i] for i in axes)
    made = kind or array.kind
    held = NUMBER if made == NUMBER else WHOLE

    def body(indices: Indices, r: Expression) -> Expression:
        own: list[Any] = [None] * array.ndim
        for place, index in zip(kept, indices):
            own[place] = index
        for place, index in zip(axes, ex.spread(r, extents)):
            own[place] = index
        one = array.element(tuple(own))
        return ex.as_kind(one if how == "sum" else ex.in_order(one), held)

    cut = Cut(how, held, shape, body, ex.product(extents))
    made_of = Array(shape, made, lambda indices: _of_cut(Expression("cut", held, indices, cut), made, how))
    if not keepdims:
        return made_of
    return indexed(made_of, tuple(None if i in axes else slice(None) for i in range(array.ndim)))


def _of_cut(found: Expression, kind: str, how: str) -> Expression:
    if kind in (NUMBER, TRUTH, WHOLE):
        return ex.as_kind(found, kind)
    if how == "sum":
        return ex.wrapped(found, kind)
    return ex.in_order(Expression("same", kind, (found,)))


def _given_kind(array: Array, dtype: Any) -> str:
    return summed(array.kind) if dtype is None else of_dtype(dtype)[0]


def sum_of(array: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
    array = as_array(array)
    return reduced("sum", array, axis, keepdims, _given_kind(array, dtype))


def mean(array: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None, _less: int = 0) -> Array:
    array = as_array(array)
    if dtype is not None and of_dtype(dtype)[0] != NUMBER:
        raise TypeError(f"a mean is a number; {dtype} is none")
    count = ex.product(tuple(array.shape[i] for i in axes_of(axis, array.ndim)))
    return divide(sum_of(array, axis, keepdims, dtype), count - _less)


def var(array: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Array:
    off = subtract(array, mean(array, axis, True))
    return mean(multiply(off, off), axis, keepdims, _less=ddof)


def largest(array: Any, axis: Any = None, keepdims: bool = False) -> Array:
    return reduced("largest", array, axis, keepdims)


def least(array: Any, axis: Any = None, keepdims: bool = False) -> Array:
    return reduced("least", array, axis, keepdims)


def cumsum(array: Any, axis: Optional[int] = None, dtype: Any = None) -> Array:
    array = as_array(array)
    array = reshape(array, (-1,)) if axis is None else array
    place = (axis or 0) % array.ndim
    moved = moveaxis(array, place, -1)
    kind = _given_kind(array, dtype)
    held = NUMBER if kind == NUMBER else WHOLE
    cut = Cut("running", held, moved.shape, lambda indices: ex.as_kind(moved.element(indices), held))
    return moveaxis(Array(moved.shape, kind, lambda indices: _of_cut(Expression("cut", held, indices, cut), kind, "sum")), -1, place)


def ordered(array: Any, axis: int, count: Optional[Extent], descending: bool) -> Array:
    """The places of the first `count` in order; of equal ones the first comes first."""
    array = as_array(array)
    place = axis % array.ndim
    moved = moveaxis(array, place, -1)
    taken = moved.shape[-1] if count is None else count
    shape = moved.shape[:-1] + (taken,)
    cut = Cut("order", WHOLE, shape, lambda indices, r: ex.in_order(moved.element(indices[:-1] + (r,))), moved.shape[-1], descending)

    def element(indices: Indices) -> Expression:
        return Expression("same", "int64", (Expression("cut", WHOLE, indices, cut),))

    return moveaxis(Array(shape, "int64", element), -1, place)


def argsort(array: Any, axis: int = -1, **_: Any) -> Array:
    return ordered(array, axis, None, False)


def sort(array: Any, axis: int = -1, **_: Any) -> Array:
    return take_along_axis(array, argsort(array, axis), axis)


def top_k(array: Any, k: Extent, axis: int = -1) -> tuple[Array, Array]:
    """The k largest along an axis, the largest first, and their places; of equal ones the first comes first."""
    places = ordered(array, axis, k, True)
    return take_along_axis(array, places, axis), places


def argmax(array: Any, axis: Optional[int] = None, keepdims: bool = False, _descending: bool = True) -> Array:
    array = as_array(array)
    if axis is None:
        array, axis = reshape(array, (-1,)), 0
    found = ordered(array, axis, 1, _descending)
    return found if keepdims else squeeze(found, axis)


def argmin(array: Any, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    return argmax(array, axis, keepdims, False)


def matmul(a: Any, b: Any) -> Array:
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("a matrix product takes arrays with axes")
    left = a if a.ndim > 1 else expand_dims(a, 0)
    right = b if b.ndim > 1 else expand_dims(b, 1)
    if not same(left.shape[-1], right.shape[-2]):
        raise ValueError(f"shapes {list(a.shape)} and {list(b.shape)} have no product: {left.shape[-1]} is not {right.shape[-2]}")
    both = multiply(expand_dims(left, -1), expand_dims(right, right.ndim - 2))
    found = reduced("sum", both, -2, False)
    if b.ndim == 1:
        found = squeeze(found, -1)
    return squeeze(found, -1 if b.ndim == 1 else -2) if a.ndim == 1 else found


def einsum(subscripts: str, *arrays: Any) -> Array:
    given = [as_array(one) for one in arrays]
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if "->" not in subscripts or len(terms) != len(given) or any(len(t) != one.ndim for t, one in zip(terms, given)):
        raise ValueError(f"einsum takes a letter for each axis of each array, and an arrow: 'mk,kn->mn', not {subscripts!r}")
    letters = list(dict.fromkeys(output + "".join(terms)))
    extents: dict[str, Extent] = {}
    for term, one in zip(terms, given):
        for letter, extent in zip(term, one.shape):
            if not same(extents.setdefault(letter, extent), extent):
                raise ValueError(f"axis {letter} of {subscripts!r} is {extents[letter]} and {extent}")

    def element(indices: Indices) -> Expression:
        at = dict(zip(letters, indices))
        found: Optional[Expression] = None
        for term, one in zip(terms, given):
            value = one.element(tuple(at[letter] for letter in term))
            found = value if found is None else arithmetic("*", found, value)
        return found

    kind = common([one.kind for one in given])
    whole = Array(tuple(extents[letter] for letter in letters), kind, element)
    return reduced("sum", whole, tuple(range(len(output), len(letters))), False) if len(output) < len(letters) else whole
