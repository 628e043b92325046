"""Arrays of references in other shapes: what is an index of the one is computed from those of the other."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Optional, Sequence

import numpy as np

from . import _expressions as ex
from ._expressions import TRUTH, WHOLE, Element, Expression, Indices
from ._kinds import common, is_whole
from ._numbers import Array, Shape, as_array
from ._sizes import Extent, Size, same, simplified, values


def broadcast(shapes: Iterable[Shape]) -> Shape:
    all_shapes = list(shapes)
    axes = max((len(one) for one in all_shapes), default=0)
    found: list[Extent] = []
    for axis in range(axes):
        extents = [one[axis - axes + len(one)] for one in all_shapes if axis - axes + len(one) >= 0]
        wide = [one for one in extents if not (isinstance(one, int) and one == 1)]
        if any(not same(wide[0], one) for one in wide[1:]):
            raise ValueError("shapes " + " and ".join(str(list(one)) for one in all_shapes) + " do not go together")
        found.append(wide[0] if wide else 1)
    return tuple(found)


def spread_to(array: Array, shape: Shape) -> Element:
    """An element of the array as it is broadcast to a shape."""
    skipped = len(shape) - array.ndim
    ones = [isinstance(one, int) and one == 1 for one in array.shape]
    zero = ex.constant(0)

    def element(indices: Indices) -> Expression:
        own = indices[skipped:]
        return array.element(tuple(zero if one else index for one, index in zip(ones, own)))

    return element


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    chosen = axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in chosen:
        if not -ndim <= one < ndim:
            raise ValueError(f"axis {one} is none of an array with {ndim} axes")
    return tuple(sorted({one % ndim for one in chosen}))


def reshape(array: Any, shape: Any) -> Array:
    array = as_array(array)
    wanted = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    if -1 in [one for one in wanted if isinstance(one, int)]:
        place = next(i for i, one in enumerate(wanted) if isinstance(one, int) and one == -1)
        others = ex.product(tuple(wanted[:place] + wanted[place + 1 :]))
        wanted[place] = simplified(array.size // others if isinstance(array.size, (int, Size)) else array.size)
    target = tuple(wanted)
    if not same(ex.product(target), ex.product(array.shape)):
        raise ValueError(f"an array of shape {list(array.shape)} has other elements than one of {list(target)}")

    def element(indices: Indices) -> Expression:
        flat = indices[0] if indices else ex.constant(0)
        for index, extent in zip(indices[1:], target[1:]):
            flat = ex.plus(ex.times(flat, extent), index)
        return array.element(ex.spread(flat, array.shape))

    return Array(target, array.kind, element)


def transpose(array: Any, axes: Any = None) -> Array:
    array = as_array(array)
    order = tuple(one % array.ndim for one in axes) if axes is not None else tuple(reversed(range(array.ndim)))
    if sorted(order) != list(range(array.ndim)):
        raise ValueError(f"axes {axes} are no order of the {array.ndim} axes")
    places = [order.index(i) for i in range(array.ndim)]
    return Array(tuple(array.shape[i] for i in order), array.kind, lambda at: array.element(tuple(at[i] for i in places)))


def swapaxes(array: Any, a: int, b: int) -> Array:
    order = list(range(as_array(array).ndim))
    order[a], order[b] = order[b], order[a]
    return transpose(array, order)


def moveaxis(array: Any, source: int, destination: int) -> Array:
    order = list(range(as_array(array).ndim))
    moved = order.pop(source)
    order.insert(destination % (len(order) + 1), moved)
    return transpose(array, order)


def expand_dims(array: Any, axis: int) -> Array:
    array = as_array(array)
    at = axis % (array.ndim + 1)
    return indexed(array, (slice(None),) * at + (None,))


def squeeze(array: Any, axis: Any = None) -> Array:
    array = as_array(array)
    ones = [i for i, one in enumerate(array.shape) if isinstance(one, int) and one == 1]
    left = ones if axis is None else list(axes_of(axis, array.ndim))
    if any(i not in ones for i in left):
        raise ValueError(f"axis {axis} of {list(array.shape)} has more than one element")
    return indexed(array, tuple(0 if i in left else slice(None) for i in range(array.ndim)))


def broadcast_to(array: Any, shape: Any) -> Array:
    array, target = as_array(array), tuple(shape)
    if [values(a) for a in broadcast([array.shape, target])] != [values(b) for b in target]:
        raise ValueError(f"an array of shape {list(array.shape)} is not spread to {list(target)}")
    return Array(target, array.kind, spread_to(array, target))


def repeat(array: Any, repeats: Extent, axis: int) -> Array:
    array = as_array(array)
    place = axis % array.ndim
    shape = list(array.shape)
    shape[place] = shape[place] * repeats

    def element(indices: Indices) -> Expression:
        source = list(indices)
        source[place] = ex.binary("/", WHOLE, indices[place], ex.size(repeats))
        return array.element(tuple(source))

    return Array(tuple(shape), array.kind, element)


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Array:
    parts = [as_array(one) for one in arrays]
    place = axis % parts[0].ndim
    kind = common([one.kind for one in parts])
    for one in parts[1:]:
        others = [i for i in range(parts[0].ndim) if i != place]
        if one.ndim != parts[0].ndim or any(not same(one.shape[i], parts[0].shape[i]) for i in others):
            raise ValueError(f"shapes {list(parts[0].shape)} and {list(one.shape)} do not join along axis {axis}")

    def element(indices: Indices) -> Expression:
        begin: Extent = 0
        begins = []
        for one in parts:
            begins.append(begin)
            begin = begin + one.shape[place]
        found: Optional[Expression] = None
        for one, first in reversed(list(zip(parts, begins))):
            own = list(indices)
            own[place] = indices[place] if isinstance(first, int) and first == 0 else ex.binary("-", WHOLE, indices[place], ex.size(first))
            value = ex.meeting(one.element(tuple(own)), kind)
            if found is None:
                found = value
            else:
                inside = ex.binary("<", TRUTH, indices[place], ex.size(first + one.shape[place]))
                found = Expression("select", kind, (inside, value, found))
        return found

    total: Extent = 0
    for one in parts:
        total = total + one.shape[place]
    shape = parts[0].shape[:place] + (simplified(total),) + parts[0].shape[place + 1 :]
    return Array(shape, kind, element)


def stack(arrays: Sequence[Any], axis: int = 0) -> Array:
    return concatenate([expand_dims(one, axis) for one in arrays], axis)


def _bound(value: Any, extent: Extent, default: Extent) -> Extent:
    if value is None:
        return default
    if not isinstance(value, (int, Size, np.integer)):
        raise TypeError("the ends of a slice are whole numbers or sizes")
    value = int(value) if isinstance(value, np.integer) else value
    if isinstance(value, int) and value < 0:
        return simplified(extent + value) if isinstance(extent, Size) else max(extent + value, 0)
    below = [a <= b for a, b in zip(values(value), values(extent))]
    if all(below):
        return value
    if any(below):
        raise ValueError(f"a slice ends at {value}, which lies past {extent} at some sizes alone")
    return extent


def indexed(array: Array, key: Any) -> Array:
    keys = list(key) if isinstance(key, tuple) else [key]
    if sum(one is Ellipsis for one in keys) > 1:
        raise IndexError("an index has one ellipsis at most")
    if not any(one is Ellipsis for one in keys):
        keys.append(Ellipsis)
    at = next(i for i, one in enumerate(keys) if one is Ellipsis)
    named = sum(one is not None and one is not Ellipsis for one in keys)
    if named > array.ndim:
        raise IndexError(f"{named} indices are too many for an array of shape {list(array.shape)}")
    keys[at : at + 1] = [slice(None)] * (array.ndim - named)
    shape: list[Extent] = []  # of the result
    pickers: list[Callable[[Indices], Expression]] = []  # an index of the array, of those of the result
    advanced: list[tuple[int, Array]] = []  # places in pickers
    first_advanced: Optional[int] = None
    apart = False
    axis = 0
    for one in keys:
        if one is None:
            shape.append(1)
            continue
        extent = array.shape[axis]
        axis += 1
        if isinstance(one, slice):
            apart = apart or first_advanced is not None
            step = 1 if one.step is None else one.step
            if not isinstance(step, int) or step == 0 or step < -1:
                raise ValueError("the step of a slice is a number from 1 on, or -1")
            if step == -1:
                if one.start is not None or one.stop is not None:
                    raise ValueError("a slice of step -1 goes over the whole axis")
                begin, length = extent - 1, extent
            else:
                begin, end = _bound(one.start, extent, 0), _bound(one.stop, extent, extent)
                length = simplified((end - begin + step - 1) // step) if step != 1 else simplified(end - begin)
            place = len(shape)
            shape.append(length)
            pickers.append(
                lambda indices, place=place, begin=begin, step=step: ex.plus(ex.times(indices[place], step), ex.size(begin))
                if step > 0
                else ex.binary("-", WHOLE, ex.size(begin), indices[place])
            )
        elif isinstance(one, (int, Size, np.integer)) and not isinstance(one, bool):
            one = int(one) if isinstance(one, np.integer) else one
            at_place = simplified(extent + one) if isinstance(one, int) and one < 0 else one
            if any(not 0 <= a < b for a, b in zip(values(at_place), values(extent))):
                raise IndexError(f"index {one} lies outside of an axis of {extent}")
            pickers.append(lambda _, value=at_place: ex.size(value))
        else:
            chosen = as_array(one)
            if not is_whole(chosen.kind):
                raise TypeError("arrays of whole numbers are indices, not of " + chosen.kind + "; choose by where")
            if first_advanced is None:
                first_advanced = len(shape)
            elif apart:
                raise IndexError("arrays as indices stand side by side")
            advanced.append((len(pickers), chosen))
            pickers.append(lambda _: ex.constant(0))
    if advanced:
        common = broadcast(one.shape for _, one in advanced)
        shape[first_advanced:first_advanced] = common
        for i, one in advanced:
            part, begin, end = spread_to(one, common), first_advanced, first_advanced + len(common)
            pickers[i] = lambda indices, part=part, begin=begin, end=end: part(indices[begin:end])
        added = len(common)
        last = max(i for i, _ in advanced)
        for i in range(last + 1, len(pickers)):
            picker = pickers[i]
            pickers[i] = lambda indices, picker=picker: picker(indices[:first_advanced] + indices[first_advanced + added :])
    return Array(tuple(shape), array.kind, lambda indices: array.element(tuple(one(indices) for one in pickers)))


def take(array: Any, indices: Any, axis: Optional[int] = None) -> Array:
    array = as_array(array)
    if axis is None:
        return indexed(reshape(array, (-1,)), as_array(indices))
    return indexed(array, (slice(None),) * (axis % array.ndim) + (as_array(indices),))


def take_along_axis(array: Any, indices: Any, axis: int) -> Array:
    array, chosen = as_array(array), as_array(indices)
    place = axis % array.ndim

    def element(at: Indices) -> Expression:
        source = [ex.constant(0) if isinstance(one, int) and one == 1 else index for one, index in zip(array.shape, at)]
        source[place] = chosen.element(tuple(at))
        return array.element(tuple(source))

    return Array(chosen.shape, array.kind, element)
