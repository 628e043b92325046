"""Hypothesis strategies: problems of a kernel, so that `@given` states a property over launches.

    @given(problems(kernel))
    def test_scaled(problem):
        y = kernel.launch(problem)["y"]
        problem.arrays["w"] *= 2
        np.testing.assert_array_equal(kernel.launch(problem)["y"], 2 * y)
"""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy

from . import _arrays
from ._launch import Problem
from ._manifest import StatedKernel

_LARGEST = 64  #: of a dimension that nothing else limits


@st.composite
def problems(draw: Callable[[Any], Any], kernel: StatedKernel, largest: int = _LARGEST) -> Problem:
    """Sizes that the kernel takes, and inputs with values as its operation says. No dimension is above `largest`."""
    entry = kernel.entry
    requires: Mapping[str, Any] = entry.kernel.get("requires", {})
    problem = Problem({one["name"]: draw(_size(one, requires, largest)) for one in entry.dimensions})
    for one in entry.tensors:
        if one.get("access", "in") == "out":
            continue
        dtype = _arrays.dtype_of(one["type"])
        elements = _elements(one.get("values", "normal" if dtype.kind not in "iub" else "integers"), dtype, problem.dims)
        shape = entry.shape(one, problem.dims)
        if dtype.kind in "iubf":
            problem.arrays[one["name"]] = draw(of_numpy.arrays(dtype, shape, elements=elements))
        else:  # bfloat16 is no type of NumPy's own
            problem.arrays[one["name"]] = draw(of_numpy.arrays(np.float32, shape, elements=elements)).astype(dtype)
    return problem


def _size(one: Mapping[str, Any], requires: Mapping[str, Any], largest: int) -> Any:
    name, multiple = one["name"], one.get("multiple", 1)
    if "values" in one:
        return st.sampled_from(one["values"])
    multiple = int(np.lcm(multiple, requires.get(f"{name}_multiple", 1)))
    least = max(one.get("least", 1), requires.get(f"{name}_min", 1))
    most = max(min(one.get("largest", largest), requires.get(f"{name}_max", largest), largest), least, multiple)
    return st.integers(-(-least // multiple), most // multiple).map(lambda steps: steps * multiple)


def _elements(values: Any, dtype: np.dtype, dims: Mapping[str, int]) -> Any:
    if isinstance(values, Mapping):
        if "below" in values:
            return st.integers(0, dims[values["below"]] - 1)
        if "one_of" in values:
            return st.sampled_from(values["one_of"])
        return _between(values["from"], values["to"], dtype)
    if isinstance(values, (int, float)):
        return st.just(values)
    if values in ("zeros", "ones"):
        return st.just(0 if values == "zeros" else 1)
    if values == "unit":
        return st.sampled_from([0, 1])
    if values == "integers":
        return st.integers(0 if dtype.kind in "ub" else -4, 1 if dtype.kind == "b" else 8 if dtype.kind == "u" else 4)
    if dtype.kind in "iu":
        return st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if values == "bits":
        return st.floats(allow_nan=False, allow_infinity=False, width=16 if dtype.itemsize == 2 else 32)
    return _between(0 if values == "positive" else -4, 4, dtype)


def _between(low: float, high: float, dtype: np.dtype) -> Any:
    if dtype.kind in "iu":
        return st.integers(int(low), int(high))
    width = 16 if dtype == np.float16 else 32
    near = np.float16 if width == 16 else np.float32
    return st.floats(float(near(low)), float(near(high)), width=width)
