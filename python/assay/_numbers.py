"""The arrays that a reference in Python computes with: names for what is right, by NumPy's operators and functions.

Nothing is computed while a reference is read. An `Array` knows its shape, which may hold names, and what each of its
elements is; `_reference_text` writes that down as a reference in C++, whose `Number`s derive the bounds.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np

from . import _expressions as ex
from ._expressions import NUMBER, TRUTH, WHOLE, Cut, Element, Expression, Indices
from ._sizes import Extent, Size, same, simplified, values

Shape = tuple[Extent, ...]


class Array:
    """An array of Numbers, of whole numbers or of truth values. Its shape holds numbers and names of dimensions."""

    __array_priority__ = 1000.0

    def __init__(self, shape: Shape, kind: str, element: Element) -> None:
        self.shape = shape
        self.kind = kind
        self._element = element
        self._known: dict[tuple[int, ...], tuple[Indices, Expression]] = {}

    def element(self, indices: Indices) -> Expression:
        """The same expression for the same indices, so that who writes it sees what is shared."""
        key = tuple(id(one) for one in indices)
        if key not in self._known:
            self._known[key] = (indices, self._element(indices))
        return self._known[key][1]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Extent:
        return simplified(ex.product(self.shape))

    @property
    def T(self) -> "Array":
        return transpose(self)

    def __repr__(self) -> str:
        return f"<array of {self.kind}s, {list(self.shape)}>"

    def __len__(self) -> Any:
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.shape or isinstance(self.shape[0], Size):
            raise TypeError(f"an array of shape {list(self.shape)} has no number of rows to go over while a reference is read")
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self) -> bool:
        raise TypeError("no element has a value while a reference is read; choose by where(condition, a, b)")

    # --- NumPy's functions and operators, of which this module has those that _UFUNCS and _FUNCTIONS list

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        if method == "reduce" and ufunc.__name__ in _REDUCED:
            return _REDUCED[ufunc.__name__](*inputs, **named)
        made = _UFUNCS.get(ufunc.__name__)
        if method != "__call__" or made is None or any(value is not None for value in named.values()):
            raise TypeError(f"numpy.{ufunc.__name__} is no function of references; docs/python.md lists those that are")
        return made(*inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Sequence[Any], named: dict[str, Any]) -> Any:
        made = _FUNCTIONS.get(function.__name__)
        if made is None:
            raise TypeError(f"numpy.{function.__name__} is no function of references; docs/python.md lists those that are")
        return made(*inputs, **named)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array of a reference has no values yet; compute with it as it is")

    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> "Array":
        return _indexed(self, key)

    def astype(self, dtype: Any) -> "Array":
        """Rounded for certain to float16, bfloat16 or float32; cut towards 0 for whole numbers."""
        return stored(self, dtype)

    def reshape(self, *shape: Any) -> "Array":
        return reshape(self, shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)

    def transpose(self, *axes: Any) -> "Array":
        return transpose(self, (axes[0] if isinstance(axes[0], (tuple, list)) else axes) if axes else None)


def scalar(value: Any) -> Array:
    """An array without axes of a number, a size or a truth value."""
    if isinstance(value, Size):
        return Array((), WHOLE, lambda _: ex.size(value))
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"a reference computes with arrays and numbers, not with {type(value).__name__}")
    return Array((), ex.constant(value).kind, lambda _: ex.constant(value))


def as_array(value: Any) -> Array:
    """Arrays as they are; numbers, sizes, and NumPy's arrays as constants."""
    if isinstance(value, Array):
        return value
    if isinstance(value, (np.ndarray, list, tuple)):
        return table(value)
    return scalar(value)


def table(numbers: Any) -> Array:
    """Constants by index: `table([0.0, 0.5, 1.0])[codes]`."""
    array = np.asarray(numbers)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a table holds numbers, not {array.dtype}")
    if array.ndim == 0:
        return scalar(array.item())
    kind = NUMBER if array.dtype.kind == "f" else WHOLE
    flat = tuple(array.astype(np.float64 if kind == NUMBER else np.int64).reshape(-1).tolist())

    def element(indices: Indices) -> Expression:
        place = ex.constant(0)
        for index, extent in zip(indices, array.shape):
            place = ex.plus(ex.times(place, extent), index) if place.what != 0 or place.operator != "constant" else index
        return Expression("table", kind, (place,), flat)

    return Array(tuple(array.shape), kind, element)


# --- Shapes


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


def elementwise(kind: str, f: Callable[..., Expression], *arrays: Any) -> Array:
    given = [as_array(one) for one in arrays]
    shape = broadcast(one.shape for one in given)
    parts = [spread_to(one, shape) for one in given]
    return Array(shape, kind, lambda indices: f(*(one(indices) for one in parts)))


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
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
    return _indexed(array, (slice(None),) * at + (None,))


def squeeze(array: Any, axis: Any = None) -> Array:
    array = as_array(array)
    ones = [i for i, one in enumerate(array.shape) if isinstance(one, int) and one == 1]
    left = ones if axis is None else list(_axes(axis, array.ndim))
    if any(i not in ones for i in left):
        raise ValueError(f"axis {axis} of {list(array.shape)} has more than one element")
    return _indexed(array, tuple(0 if i in left else slice(None) for i in range(array.ndim)))


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
    kind = ex.joined([one.kind for one in parts]) if len({one.kind for one in parts}) > 1 else parts[0].kind
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
            value = ex.as_kind(one.element(tuple(own)), kind)
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


def _indexed(array: Array, key: Any) -> Array:
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
            if chosen.kind != WHOLE:
                raise TypeError("arrays of whole numbers are indices, not of " + chosen.kind + "s; choose by where")
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
        return _indexed(reshape(array, (-1,)), as_array(indices))
    return _indexed(array, (slice(None),) * (axis % array.ndim) + (as_array(indices),))


def take_along_axis(array: Any, indices: Any, axis: int) -> Array:
    array, chosen = as_array(array), as_array(indices)
    place = axis % array.ndim

    def element(at: Indices) -> Expression:
        source = [ex.constant(0) if isinstance(one, int) and one == 1 else index for one, index in zip(array.shape, at)]
        source[place] = chosen.element(tuple(at))
        return array.element(tuple(source))

    return Array(chosen.shape, array.kind, element)


# --- Sums, and what else hangs on all elements of an axis


def reduced(how: str, array: Any, axis: Any, keepdims: bool, kind: Optional[str] = None) -> Array:
    array = as_array(array)
    axes = _axes(axis, array.ndim)
    kept = [i for i in range(array.ndim) if i not in axes]
    shape = tuple(array.shape[i] for i in kept)
    extents = tuple(array.shape[i] for i in axes)
    made = kind or (WHOLE if array.kind == TRUTH else array.kind)

    def body(indices: Indices, r: Expression) -> Expression:
        own: list[Any] = [None] * array.ndim
        for place, index in zip(kept, indices):
            own[place] = index
        for place, index in zip(axes, ex.spread(r, extents)):
            own[place] = index
        return ex.as_kind(array.element(tuple(own)), made)

    cut = Cut(how, made, shape, body, ex.product(extents))
    made_of = Array(shape, made, lambda indices: Expression("cut", made, indices, cut))
    if not keepdims:
        return made_of
    return _indexed(made_of, tuple(None if i in axes else slice(None) for i in range(array.ndim)))


def sum_of(array: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Array:
    return reduced("sum", array, axis, keepdims)


def mean(array: Any, axis: Any = None, keepdims: bool = False) -> Array:
    array = as_array(array)
    count = ex.product(tuple(array.shape[i] for i in _axes(axis, array.ndim)))
    return divide(reduced("sum", array, axis, keepdims), count)


def var(array: Any, axis: Any = None, keepdims: bool = False) -> Array:
    off = subtract(array, mean(array, axis, True))
    return mean(multiply(off, off), axis, keepdims)


def largest(array: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Array:
    return reduced("largest", array, axis, keepdims)


def least(array: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Array:
    return reduced("least", array, axis, keepdims)


def cumsum(array: Any, axis: Optional[int] = None) -> Array:
    array = as_array(array)
    array = reshape(array, (-1,)) if axis is None else array
    place = (axis or 0) % array.ndim
    moved = moveaxis(array, place, -1)
    kind = WHOLE if array.kind == TRUTH else array.kind
    cut = Cut("running", kind, moved.shape, lambda indices: ex.as_kind(moved.element(indices), kind))
    return moveaxis(Array(moved.shape, kind, lambda indices: Expression("cut", kind, indices, cut)), -1, place)


def ordered(array: Any, axis: int, count: Optional[Extent], descending: bool) -> Array:
    """The places of the first `count` in order; of equal ones the first comes first."""
    array = as_array(array)
    place = axis % array.ndim
    moved = moveaxis(array, place, -1)
    taken = moved.shape[-1] if count is None else count
    shape = moved.shape[:-1] + (taken,)
    cut = Cut("order", WHOLE, shape, lambda indices, r: moved.element(indices[:-1] + (r,)), moved.shape[-1], descending)
    return moveaxis(Array(shape, WHOLE, lambda indices: Expression("cut", WHOLE, indices, cut)), -1, place)


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
    found = sum_of(both, -2)
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
            found = value if found is None else _arithmetic("*", found, value)
        return found

    kind = ex.joined([one.kind for one in given])
    whole = Array(tuple(extents[letter] for letter in letters), kind, element)
    return sum_of(whole, tuple(range(len(output), len(letters)))) if len(output) < len(letters) else whole


# --- One element at a time


def _arithmetic(operator: str, a: Expression, b: Expression) -> Expression:
    kind = ex.joined([a.kind, b.kind])
    return ex.binary(operator, kind, ex.as_kind(a, kind), ex.as_kind(b, kind))


def _operator(operator: str) -> Callable[..., Array]:
    def made(a: Any, b: Any) -> Array:
        a, b = as_array(a), as_array(b)
        return elementwise(ex.joined([a.kind, b.kind]), lambda x, y: _arithmetic(operator, x, y), a, b)

    return made


add, subtract, multiply = _operator("+"), _operator("-"), _operator("*")


def divide(a: Any, b: Any) -> Array:
    return elementwise(NUMBER, lambda x, y: ex.binary("/", NUMBER, ex.as_kind(x, NUMBER), ex.as_kind(y, NUMBER)), a, b)


def negative(a: Any) -> Array:
    kind = ex.joined([as_array(a).kind])
    return elementwise(kind, lambda x: Expression("negative", kind, (ex.as_kind(x, kind),)), a)


def _of_wholes(name: str, f: Callable[[Expression, Expression], Expression]) -> Callable[..., Array]:
    def made(a: Any, b: Any) -> Array:
        for one in (as_array(a), as_array(b)):
            if one.kind == NUMBER:
                raise TypeError(f"{name} takes whole numbers; of others take floor(a / b), or whole(x) first")
        return elementwise(WHOLE, lambda x, y: f(ex.as_kind(x, WHOLE), ex.as_kind(y, WHOLE)), a, b)

    return made


def _compared(operator: str) -> Callable[..., Array]:
    def f(x: Expression, y: Expression) -> Expression:
        kind = ex.joined([x.kind, y.kind])
        return ex.binary(operator, TRUTH, ex.as_kind(x, kind), ex.as_kind(y, kind))

    return lambda a, b: elementwise(TRUTH, f, a, b)


def _logical(operator: str) -> Callable[..., Array]:
    return lambda a, b: elementwise(
        TRUTH, lambda x, y: ex.binary(operator, TRUTH, ex.as_kind(x, TRUTH), ex.as_kind(y, TRUTH)), a, b
    )


def _bits(operator: str, logical: str) -> Callable[..., Array]:
    of_wholes = _of_wholes(operator, lambda x, y: ex.binary(operator, WHOLE, x, y))
    of_truths = _logical(logical)
    return lambda a, b: of_truths(a, b) if as_array(a).kind == TRUTH and as_array(b).kind == TRUTH else of_wholes(a, b)


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
    exponent = b.item() if isinstance(b, np.generic) else b
    if isinstance(exponent, int) and 1 <= exponent <= 8:
        found = as_array(a)
        for _ in range(exponent - 1):
            found = multiply(found, a)
        return found
    if exponent == 0.5:
        return function("sqrt")(a)
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


def bincount(array: Any, weights: Any = None, minlength: Extent = 0) -> Array:
    """How often each of `minlength` numbers is there."""
    array = as_array(array)
    if array.ndim != 1 or weights is not None or (isinstance(minlength, int) and minlength < 1):
        raise ValueError("bincount takes one axis of whole numbers, and minlength: how many are counted")
    return sum_of(_compared("==")(expand_dims(array, 0), expand_dims(arange(minlength), 1)), 1)


_floor_divide = _of_wholes("//", lambda x, y: ex.call("floor_of_quotient", WHOLE, x, y))
_remainder = _of_wholes("%", lambda x, y: ex.call("rest_of_floor", WHOLE, x, y))

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
    "less": _compared("<"),
    "less_equal": _compared("<="),
    "greater": _compared(">"),
    "greater_equal": _compared(">="),
    "equal": _compared("=="),
    "not_equal": _compared("!="),
    "logical_and": _logical("&&"),
    "logical_or": _logical("||"),
    "logical_not": lambda a: invert(elementwise(TRUTH, lambda x: ex.as_kind(x, TRUTH), a)),
    "bitwise_and": _bits("&", "&&"),
    "bitwise_or": _bits("|", "||"),
    "bitwise_xor": _of_wholes("^", lambda x, y: ex.binary("^", WHOLE, x, y)),
    "invert": invert,
    "left_shift": _of_wholes("<<", lambda x, y: ex.binary("<<", WHOLE, x, y)),
    "right_shift": _of_wholes(">>", lambda x, y: ex.binary(">>", WHOLE, x, y)),
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
    "zeros_like": lambda a: zeros(as_array(a).shape, "int" if as_array(a).kind == WHOLE else None),
    "ones_like": lambda a: full(as_array(a).shape, 1 if as_array(a).kind == WHOLE else 1.0),
}


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
    setattr(Array, "__neg__", negative)
    setattr(Array, "__invert__", invert)
    setattr(Array, "__abs__", absolute)
    for name in ("mean", "var", "cumsum", "argmax", "argmin", "argsort", "clip", "squeeze", "repeat", "take", "dot"):
        setattr(Array, name, lambda a, *given, f=_FUNCTIONS[name], **named: f(a, *given, **named))
    for name in ("sum", "max", "min"):
        setattr(Array, name, lambda a, axis=None, keepdims=False, f=_FUNCTIONS[name]: f(a, axis, keepdims))


_install_operators()
