"""A reference in Python, read once and written down in C++."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping, Sequence

from . import _expressions as ex
from . import _kinds, _sizes
from ._extents import extent_of
from ._numbers import Array, as_array
from ._reference_text import Writer
from ._sizes import Extent, Size, same

#: Multiples by which dimensions differ in the problems that sizes are compared by: of each magnitude, for one size may
#: be 1 until another is past a tile.
_MULTIPLES = (1, 2, 3, 5, 7, 11, 17, 29, 53, 97, 263, 521, 1031, 2053, 4099, 8209, 16411)
_PROBLEMS = 7


def reference_text(reference: Callable[..., Any], dims: Sequence[Mapping[str, Any]], specs: Sequence[Mapping[str, Any]]) -> str:
    """The reference in C++. It is called once, with names in place of sizes."""
    token = _sizes.problems.set(_problems(dims))
    try:
        sizes = {one["name"]: _sizes.simplified(_size_of(one["name"])) for one in dims}
        given: dict[str, Any] = dict(sizes)
        shapes = {}
        for one in specs:
            shapes[one["name"]] = shape = tuple(extent_of(extent, sizes) for extent in one["shape"])
            if one.get("access", "in") != "out":
                given[one["name"]] = _input(one, shape)
        wanted = [one["name"] for one in specs if one.get("access", "in") != "in"]
        outputs = _outputs(reference(**_passed(reference, given)), wanted)
        for name, array in outputs:
            if array.ndim != len(shapes[name]) or not all(same(a, b) for a, b in zip(array.shape, shapes[name])):
                raise ValueError(f"the reference gives {name} the shape {list(array.shape)}, and it has {list(shapes[name])}")
        names = [*sizes, *shapes]
        types = {one["name"]: _kinds.of_type(one["type"]) for one in specs}
        return Writer(names).text([(name, _stored(array, shapes[name], types[name])) for name, array in outputs])
    finally:
        _sizes.problems.reset(token)


def _passed(reference: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(reference).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return dict(given)
    for one in parameters:
        if one.name not in given and one.default is one.empty:
            raise ValueError(f"the reference takes {one.name}, which is no dimension and no input; there are {', '.join(given)}")
    return {one.name: given[one.name] for one in parameters if one.name in given}


def _outputs(found: Any, wanted: Sequence[str]) -> list[tuple[str, Array]]:
    if isinstance(found, Mapping):
        if sorted(found) != sorted(wanted):
            raise ValueError(f"the reference gives {', '.join(map(str, found))}; the outputs are {', '.join(wanted)}")
        return [(name, as_array(found[name])) for name in wanted]
    parts = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(parts) != len(wanted):
        raise ValueError(f"the reference gives {len(parts)} arrays; the outputs are {', '.join(wanted)}")
    return [(name, as_array(one)) for name, one in zip(wanted, parts)]


def _stored(array: Array, shape: tuple[Extent, ...], kind: str) -> Array:
    """What the output holds. Whole numbers wrap around in one of another type; Numbers are rounded by who compares."""
    if array.kind == ex.NUMBER and kind != ex.NUMBER:
        return Array(shape, array.kind, array.element)
    return Array(shape, kind, lambda indices: ex.as_kind(array.element(indices), kind))


def _input(spec: Mapping[str, Any], shape: tuple[Extent, ...]) -> Array:
    name = spec["name"] + (".given" if spec.get("access") == "inout" else "")
    kind = _kinds.of_type(spec["type"])
    if kind == ex.NUMBER:
        return Array(shape, kind, lambda indices: ex.Expression("load", kind, indices, name))

    def element(indices: ex.Indices) -> ex.Expression:
        held = ex.Expression("load", ex.WHOLE, indices, name)
        return ex.as_kind(held, kind) if kind == ex.TRUTH else ex.Expression("same", kind, (held,))

    return Array(shape, kind, element)


def _size_of(name: str) -> Size:
    return Size(name, lambda problem: problem[name])


def _problems(dims: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    found = []
    for number in range(_PROBLEMS):
        problem = {}
        for i, one in enumerate(dims):
            step = _MULTIPLES[(7 * i + 5 * number) % len(_MULTIPLES)]
            values, multiple = one.get("values"), one.get("multiple", 1)
            least = one.get("least", multiple)
            problem[one["name"]] = values[number % len(values)] if values else -(-least // multiple) * multiple + multiple * (step - 1)
        found.append(problem)
    return found
