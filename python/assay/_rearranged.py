"""Arrays of references with elements in other places, or beside others: padding, rolls, triangles."""

from __future__ import annotations

from typing import Any

from . import _expressions as ex
from ._elementwise import arange, compared, elementwise, multiply, where
from ._expressions import TRUTH, WHOLE, Expression, Indices
from ._kinds import common
from ._numbers import Array, as_array
from ._shapes import axes_of, expand_dims, indexed, reshape, take
from ._sizes import Extent, Size, simplified


def pad(array: Any, width: Any, mode: str = "constant", constant_values: Any = 0) -> Array:
    """`width`: before and behind, for all axes, or a pair for each. Modes: "constant" and "edge"."""
    array = as_array(array)
    if mode not in ("constant", "edge"):
        raise ValueError(f'pad has the modes "constant" and "edge", not {mode!r}')
    pairs = [width] * array.ndim if isinstance(width, (int, Size)) else list(width)
    if len(pairs) == 2 and array.ndim != 2 and all(isinstance(one, (int, Size)) for one in pairs):
        pairs = [tuple(pairs)] * array.ndim
    pairs = [(one, one) if isinstance(one, (int, Size)) else tuple(one) for one in pairs]
    if len(pairs) != array.ndim:
        raise ValueError(f"pad takes a pair for each of the {array.ndim} axes, not {len(pairs)}")
    shape = tuple(simplified(before + extent + behind) for (before, behind), extent in zip(pairs, array.shape))
    fill = as_array(constant_values)
    kind = common([array.kind, fill.kind])

    def element(indices: Indices) -> Expression:
        source, inside = [], []
        for index, (before, behind), extent in zip(indices, pairs, array.shape):
            if _is_zero(before) and _is_zero(behind):
                source.append(index)
                continue
            at = index if _is_zero(before) else ex.binary("-", WHOLE, index, ex.size(before))
            inside += [ex.binary(">=", TRUTH, at, ex.constant(0)), ex.binary("<", TRUTH, at, ex.size(extent))]
            source.append(at)
        if mode == "edge":
            return array.element(tuple(_clamped(at, extent) for at, extent in zip(source, array.shape)))
        value = ex.as_kind(array.element(tuple(source)), kind)
        if not inside:
            return value
        condition = inside[0]
        for one in inside[1:]:
            condition = ex.binary("&&", TRUTH, condition, one)
        return Expression("select", kind, (condition, value, ex.meeting(fill.element(()), kind)))

    return Array(shape, kind, element)


def _is_zero(extent: Extent) -> bool:
    return isinstance(extent, int) and extent == 0


def _clamped(index: Expression, extent: Extent) -> Expression:
    last = ex.size(extent - 1)
    low = Expression("select", WHOLE, (ex.binary("<", TRUTH, index, ex.constant(0)), ex.constant(0), index))
    return Expression("select", WHOLE, (ex.binary("<", TRUTH, low, last), low, last))


def flip(array: Any, axis: Any = None) -> Array:
    array = as_array(array)
    axes = axes_of(axis, array.ndim)
    return indexed(array, tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(array.ndim)))


def roll(array: Any, shift: Extent, axis: int) -> Array:
    """Element i moves to i + shift, and round the end."""
    array = as_array(array)
    extent = array.shape[axis]
    places = elementwise(
        WHOLE, lambda i: ex.call("rest_of_floor", WHOLE, ex.binary("-", WHOLE, i, ex.size(shift)), ex.size(extent)), arange(extent)
    )
    return take(array, places, axis)


def split(array: Any, parts: int, axis: int = 0) -> list[Array]:
    array = as_array(array)
    place = axis % array.ndim
    extent = array.shape[place]
    step = simplified(extent // parts) if isinstance(extent, Size) else extent // parts
    ahead = (slice(None),) * place
    return [indexed(array, ahead + (slice(i * step, (i + 1) * step),)) for i in range(parts)]


def outer(a: Any, b: Any) -> Array:
    return multiply(expand_dims(reshape(a, (-1,)), 1), expand_dims(reshape(b, (-1,)), 0))


def tri(rows: Extent, columns: Any = None, k: int = 0) -> Array:
    """True on and below diagonal k."""
    below = elementwise(WHOLE, lambda i: ex.plus(i, ex.constant(k)), expand_dims(arange(rows), 1))
    return compared("<=")(arange(rows if columns is None else columns), below)


def tril(array: Any, k: int = 0) -> Array:
    array = as_array(array)
    return where(tri(array.shape[-2], array.shape[-1], k), array, 0)


def triu(array: Any, k: int = 0) -> Array:
    array = as_array(array)
    return where(tri(array.shape[-2], array.shape[-1], k - 1), 0, array)

