"""Kernels that are verified from Python: what comes back, and how references are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import assay
from assay.reference import arange

HERE = Path(__file__).parent

ROW_SUM = """
#include <metal_stdlib>
using namespace metal;
kernel void row_sum(device const half* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& N [[buffer(2)]],
                    uint row [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint i = 0; i < N; ++i) sum += x[row * N + i];
  y[row] = sum;
}
"""
OF_ROW_SUM: dict[str, Any] = {
    "dimensions": "M N",
    "tensors": {"x": "half[M, N]", "y": "float[M]:out"},
    "threads": 32,
    "grid": "M",
}


# --- What comes back


def test_a_kernel_that_passes_says_what_it_passed():
    found = assay.verify(ROW_SUM, None, lambda x: x.sum(axis=1), **OF_ROW_SUM, cases=20)
    assert found and found.name == "row_sum" and found.verdict == "pass"
    assert {one.mode for one in found.modes} >= {"fast", "checked"}
    assert found.cases > 100 and found.modes[0].coverage["regime whole"] > 0
    assert "1 of 1 kernels pass" in repr(found)


def test_a_wrong_result_is_an_exception_with_its_shrunk_case():
    with pytest.raises(assay.WrongResult, match="elements of y are wrong") as caught:
        assay.verify(ROW_SUM.replace("i < N", "i + 1 < N"), None, lambda x: np.sum(x, axis=-1), **OF_ROW_SUM, cases=20)
    assert "case" in caught.value.data and caught.value.data["shrunk"]["steps"] >= 0
    assert "row_sum M=1 N=1" in caught.value.report


def test_unchecked_it_is_an_object_that_is_false():
    found = assay.verify(
        ROW_SUM.replace("i < N", "i + 1 < N"), None, lambda x: x.sum(1), check=False, **OF_ROW_SUM, mode="fast", cases=20
    )
    assert not found and found.verdict == "wrong result" and "kernel=row_sum" in found.replay


def test_a_race_needs_no_reference():
    racy = ROW_SUM.replace("y[row] = sum", "y[0] = sum")
    with pytest.raises(assay.Race):
        assay.verify(racy, **OF_ROW_SUM, mode="checked", cases=20)


def test_options_are_those_of_the_program():
    found = assay.verify(ROW_SUM, None, lambda x: x.sum(1), **OF_ROW_SUM, at={"M": 3, "N": 5}, mode="fast", numerics="strict")
    assert len(found.modes) == 1 and found.cases < 20
    with pytest.raises(ValueError, match="--casess"):
        assay.verify(ROW_SUM, None, lambda x: x.sum(1), **OF_ROW_SUM, casess=3)


def test_mutants_are_scored():
    kernel = assay.stated(ROW_SUM, None, lambda x: x.sum(1), **OF_ROW_SUM)
    scored = kernel.mutate(sample=3, cases=20)
    assert len(scored.mutants) == 3 and scored.totals and scored.survivors == []


def test_a_manifest_is_loaded_with_what_is_wrong_in_it():
    with pytest.warns(UserWarning, match="nowhere.metal|operation: is missing"):
        kernels = assay.load(HERE / "projects" / "stated" / "kernels.toml")
    assert list(kernels) == ["whole_rows", "all_but_the_last"]
    assert kernels["whole_rows"].verify(mode="fast", cases=20)
    with pytest.raises(assay.WrongResult):
        kernels["all_but_the_last"].verify(mode="fast", cases=20)
    with pytest.raises(KeyError, match="it has whole_rows, all_but_the_last"):
        kernels["row_sum"]


# --- References


def text_of(reference: Callable[..., Any], tensors: dict[str, str], dimensions: str = "M N") -> str:
    from assay import _fields, _references

    dims = [_fields.dimension(one) for one in _fields.listed(dimensions)]
    return _references.reference_text(reference, dims, [_fields.tensor_of(*one) for one in tensors.items()])


XY = {"x": "half[M, N]", "y": "float[M, N]:out"}


@pytest.mark.parametrize(
    "reference, what",
    [
        (lambda x: x.sum(axis=1), "gives y the shape"),
        (lambda x: x.sum(axis=2), "axis 2 is none"),
        (lambda x, z: x, "takes z, which is no dimension and no input"),
        (lambda x: (x, x), "gives 2 arrays"),
        (lambda x: {"z": x}, "gives z; the outputs are y"),
        (lambda x, N: x if N > 3 else -x, "N is a name while a reference is read"),
        (lambda x, N: sum(x[:, i] for i in range(N)), "N is a name while a reference is read"),
        (lambda x: x if x[0, 0] > 0 else -x, "choose by where"),
        (lambda x, M, N: x.reshape(N, M + 1), "has other elements than one of"),
        (lambda x: x[:, :3], "lies past N at some sizes alone"),
        (lambda x: x @ x, "have no product: N is not M"),
        (lambda x: np.linalg.norm(x), "numpy.norm is no function of references"),
        (lambda x: np.sinc(x), "sinc"),
        (lambda x: x[0.5], "arrays of whole numbers are indices"),
        (lambda x: np.asarray(x), "has no values yet"),
        (lambda x: x + "1", "not with str"),
    ],
)
def test_misuse_is_one_sentence(reference, what):
    with pytest.raises((TypeError, ValueError, IndexError), match=what) as caught:
        text_of(reference, XY)
    assert "\n" not in str(caught.value)


OPERATORS = {
    "broadcast": lambda x, N: x + np.arange(3)[2] * arange(N) / N,
    "scalars": lambda x: 2 * x - 0.5 / (1 + np.abs(x)),
    "slices": lambda x, N: np.concatenate([x[:, N // 2 :], x[:, : N // 2]], axis=1),
    "reversed": lambda x: x[::-1, ::-1],
    "transposed": lambda x: np.transpose(x.T),
    "gathered": lambda x, N: np.take(x, (arange(N) * 7) % N, axis=1),
    "chosen": lambda x: np.where((x > 0) & ~(x > 1), x, np.maximum(-x, 0.25)),
    "sorted": lambda x: np.sort(x, axis=-1),
    "stacked": lambda x: np.stack([x, x * 0], axis=0).sum(axis=0),
    "of columns": lambda x: x - x.mean(axis=0, keepdims=True),
    "of all": lambda x: x * np.max(x) + np.var(x),
    "running": lambda x: np.cumsum(x, axis=0),
    "stored": lambda x: (x * 3).astype("float16") + x.astype(np.float32),
    "shared": lambda x: [x := (x + 1) * x for _ in range(3)][-1] * 0 + x,
    "padded": lambda x: np.pad(x, ((1, 0), (2, 1)), constant_values=0.5)[:-1, 1:-2],
    "edges": lambda x: np.pad(x, 1, mode="edge")[2:, :-2],
    "rolled": lambda x: np.roll(x, 2, axis=1) - np.flip(x, 0),
    "halves": lambda x: np.concatenate(np.split(x[:, :4], 2, axis=1)[::-1] + [x[:, 4:]], axis=1),
    "outer": lambda x: np.outer(x[:, 1], x[2]),
    "triangles": lambda x: np.tril(x) + 2 * np.triu(x, 1),
    "powers": lambda x: x**2 + np.abs(x) ** 0.5,
    "signs": lambda x: np.sign(x) * np.hypot(x, 3) + np.isfinite(x) - np.isinf(x),
    "truths": lambda x: np.where(np.any(x > 1, axis=1, keepdims=True), x, 0) + np.all(x < 9) + np.count_nonzero(x, axis=0),
    "steps": lambda x: np.vstack([np.diff(x, axis=0), x[0]]) + x.std(axis=1, keepdims=True),
    "powers of 2": lambda x: 2.0**x + np.float32(0.5) ** (x > 0) + 3 ** (x > 0).astype(int),
    "whole powers": lambda x: (x + 0.125) ** 3.0 + np.power(x - 0.125, -2) - (x + 0.125) ** -1.0,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_say_in_cpp_what_numpy_computes(name):
    """A kernel that copies what NumPy computes passes, at sizes of one problem."""
    reference = OPERATORS[name]
    M, N = 3, 5
    x = (np.arange(M * N).reshape(M, N) * 7 % 16 - 8).astype(np.float16) / np.float16(4)
    real = {"M": M, "N": N}
    given = {one: real[one] for one in ("M", "N") if one in reference.__code__.co_varnames[: reference.__code__.co_argcount]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(reference.__globals__, "arange", np.arange)
        y = np.asarray(reference(x.astype(np.float64), **given), dtype=np.float64)
    values = ", ".join(repr(float(one)) + "f" for one in y.reshape(-1))
    kernel = f"""
    #include <metal_stdlib>
    using namespace metal;
    constant float Y[] = {{{values}}};
    kernel void copy(device const half* x [[buffer(0)]], device float* y [[buffer(1)]], uint i [[thread_position_in_grid]]) {{
      y[i] = Y[i] + 0 * float(x[i]);
    }}
    """
    table = "static constexpr double TABLE[] = {" + ", ".join(repr(float(one)) for one in x.reshape(-1)) + "};"
    assay.verify(
        kernel,
        "copy",
        reference,
        dimensions={"M": {"values": [M]}, "N": {"values": [N]}},
        tensors={"x": {"type": "half", "shape": ["M", "N"], "never": ["NaN", "infinity"]}, "y": "float[M, N]:out"},
        threads=32,
        grid="M * N",
        fill=table + "\nvoid fill(Draw&) { for (Index i = 0; i < M * N; ++i) x.set(TABLE[i], i / N, i % N); }",
        mode="fast",
        numerics="strict",
        cases=2,
    )


@pytest.mark.parametrize("power, right", [(-1, "1 / v"), (3.0, "v * v * v"), (-2.0, "1 / (v * v)")])
def test_powers_of_what_is_below_zero_are_asked_for(power, right):
    kernel = f"""
    kernel void f(device const float* x, device float* y, uint i [[thread_position_in_grid]]) {{
      const float v = x[i];
      y[i] = v < 0 ? 99.0f : {right};
    }}
    """
    tensors = {"x": "float[n]", "y": "float[n]:out"}
    with pytest.raises(assay.WrongResult):
        assay.verify(kernel, "f", lambda x: x**power, dimensions="n", tensors=tensors, threads=32, grid="n", mode="fast", cases=9)


@pytest.mark.parametrize(
    "kind, value", [("uint", "0x80000000u"), ("uint", "0x7fffffffu"), ("int", "-1"), ("ushort", "0x8000"), ("char", "-2")]
)
def test_whole_numbers_of_any_bits_meet_what_lies_about_their_sign_bit(kind, value):
    text = f"""
    kernel void f(device const {kind}* u, device {kind}* y, uint i [[thread_position_in_grid]]) {{
      y[i] = u[i] == {value} ? 0 : u[i];
    }}
    """
    with pytest.raises(assay.WrongResult):
        assay.verify(
            text, "f", lambda u: u + 0, dimensions="n", tensors={"u": f"{kind}[n]:bits", "y": f"{kind}[n]:out"}, threads=32, grid="n",
            mode="fast", numerics="strict", cases=1,
        )


def test_a_property_over_launches():
    pytest.importorskip("hypothesis")
    from hypothesis import given, settings

    from assay.strategies import problems

    kernel = assay.stated(ROW_SUM, None, lambda x: x.sum(1), **OF_ROW_SUM)
    seen = []

    @settings(max_examples=20, deadline=None, database=None)
    @given(problems(kernel, largest=9))
    def doubled(problem):
        seen.append(problem.dims)
        once = kernel.launch(problem)["y"]
        assert once.shape == (problem.dims["M"],)
        problem.arrays["x"] *= 2
        np.testing.assert_array_equal(kernel.launch(problem)["y"], 2 * once)

    doubled()
    assert all(1 <= one["N"] <= 9 for one in seen) and len({one["N"] for one in seen}) > 1


def test_launches_of_one_problem():
    kernel = assay.stated(ROW_SUM, None, lambda x: x.sum(1), **OF_ROW_SUM)
    x = np.arange(6, dtype=np.float16).reshape(2, 3)
    assert kernel.launch(assay.Problem({"M": 2, "N": 3}, {"x": x}))["y"].tolist() == [3, 12]
    with pytest.raises(ValueError, match="the problem has no array x"):
        kernel.launch(assay.Problem({"M": 2, "N": 3}))
    with pytest.raises(assay.OutOfBounds):
        kernel.launch(assay.Problem({"M": 2, "N": 4}, {"x": x}))
