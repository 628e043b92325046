"""Numbers, vectors, structs and pointers as a kernel's text declares them, from Python's values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay

TEXT = """
#include <metal_stdlib>
using namespace metal;

enum Shade : ushort { dark = 3, bright = 700 };
struct Inner { half2 pair; bool on; };
struct Params {
  half h;
  bfloat b;
  packed_float3 p;
  uchar flags[3];
  float2x3 m;
  Inner inner[2];
  Shade shade;
  float3 v;
  long l;
};

kernel void told(constant Params& s, device float* y) {
  y[0] = s.h;           y[1] = s.b;
  y[2] = s.p[2];        y[3] = s.flags[1];
  y[4] = s.m[1][2];     y[5] = s.inner[1].pair.y;
  y[6] = s.inner[1].on; y[7] = s.shade;
  y[8] = s.v.z;         y[9] = s.l;
}

struct Row { float x; short n; };
kernel void rows(device const Row* r, device float* y, uint i [[thread_position_in_grid]]) { y[i] = r[i].x * r[i].n; }

struct Set { device const float* a; device int* b; constant Row* rows; uint n; };
kernel void through(constant Set& set, uint i [[thread_position_in_grid]]) {
  if (i < set.n) set.b[i] = int(set.a[i]) + set.b[i] + set.rows[1].n;
}

kernel void turned(constant half2x3& a, device const float2x2* b, device float* y) {
  y[0] = a[1][2] + b[1][0][1];
}

kernel void plain(constant float3& v, constant half4* q, constant bool& on, device float* y) {
  y[0] = v.y + float(q[1].w) + on;
}

constant uint U [[function_constant(0)]];
constant bool ON [[function_constant(1)]];
kernel void constants(device uint* y) { y[0] = ON ? U : 0; }
"""
X = np.arange(8, dtype=np.float32)
PARAMS: dict[str, Any] = {
    "h": 0.5,
    "b": 2.5,
    "p": [1, 2, 3.5],
    "flags": [1, 200, 3],
    "m": [[1, 2, 3], [4, 5, 6.5]],
    "inner": [{"pair": [1, 2], "on": False}, {"pair": (3, 4.5), "on": True}],
    "shade": 700,
    "v": np.array([7, 8, 9.5]),
    "l": -(2**40),
}
STRUCTURED = np.array([(0.5, 3), (1.5, -2)], dtype={"names": ["x", "n"], "formats": ["<f4", "<i2"], "itemsize": 8})
TOLD = [0.5, 2.5, 3.5, 200, 6.5, 4.5, 1, 700, 9.5, -(2**40)]


def told(value: Any) -> list[float]:
    return assay.run(TEXT, "told", {"s": value}, {"y": (10, "float")}, grid=1, threads=1)["y"].tolist()


def test_structs_are_dictionaries_and_lists_of_their_fields():
    assert told(PARAMS) == TOLD
    assert told(list(PARAMS.values())) == TOLD
    assert told([*PARAMS.values()][:5] + [[[(1, 2), 0], [(3, 4.5), 1]]] + [*PARAMS.values()][6:]) == TOLD


def test_lists_behind_a_pointer_are_as_many_structs():
    for rows in ([(0.5, 3), (1.5, -2)], [{"x": 0.5, "n": 3}, {"x": 1.5, "n": -2}], STRUCTURED):
        assert assay.run(TEXT, "rows", {"r": rows}, {"y": (2, "float")}, grid=2, threads=2)["y"].tolist() == [1.5, -3]


def test_vectors_and_lists_of_them():
    run = lambda v, q, on: assay.run(TEXT, "plain", {"v": v, "q": q, "on": on}, {"y": (1, "float")}, grid=1, threads=1)["y"][0]
    assert run((1, 2, 3), [[0] * 4, [0, 0, 0, 5]], np.bool_(True)) == 8


def test_matrices_are_lists_of_their_columns():
    given = {"a": [[1, 2, 3], [4, 5, 6.5]], "b": [[[0, 0], [0, 0]], [[1, 20], [3, 4]]]}
    assert assay.run(TEXT, "turned", given, {"y": (1, "float")}, grid=1, threads=1)["y"][0] == 26.5


def test_pointers_lead_to_what_their_struct_says():
    counts = np.full(8, 100, np.int32)
    given = {"a": assay.Pointer(X), "b": assay.Pointer(counts), "rows": assay.Pointer(np.zeros(16, np.uint8)), "n": 8}
    found = assay.run(TEXT, "through", {"set": given}, grid=8, threads=8)
    assert list(found) == ["b"] and found["b"].tolist() == (X + 100).tolist()
    filled = assay.run(TEXT, "through", {"set": {**given, "b": assay.Pointer(assay.Empty((8,), np.int32, fill=7))}}, grid=8, threads=8)
    assert filled["b"].tolist() == (X + 7).tolist()
    turned = dict(reversed(given.items()))
    assert assay.run(TEXT, "through", {"set": turned}, grid=8, threads=8)["b"].tolist() == (X + 100).tolist()
    with pytest.raises(assay.UninitialisedRead):
        assay.run(TEXT, "through", {"set": {**given, "b": assay.Pointer(assay.Empty((8,), np.int32))}}, grid=8, threads=8)


SET = {"a": assay.Pointer(X), "b": assay.Pointer(np.zeros(8, np.int32)), "rows": assay.Pointer(np.zeros(16, np.uint8)), "n": 8}
WRONG = {
    "a field too few": ("told", {"s": {**PARAMS, "z": 1}}, ValueError, "it has no z"),
    "components": ("told", {"s": {**PARAMS, "v": [1, 2]}}, ValueError, "`s.v` has 3 components of float, not 2"),
    "no list": ("told", {"s": {**PARAMS, "flags": 3}}, TypeError, r"`s.flags` has 3 elements; pass a list, not int"),
    "deep": (
        "told",
        {"s": {**PARAMS, "inner": [{"pair": [1, 2]}] * 2}},
        ValueError,
        r"`s.inner\[0\]` has the fields pair, on; on is missing",
    ),
    "large": ("told", {"s": {**PARAMS, "shade": 70000}}, ValueError, "`s.shade` is ushort, which has no 70000"),
    "half": ("told", {"s": {**PARAMS, "h": "1"}}, TypeError, "`s.h` is half, not str"),
    "no pointer": ("through", {"set": {**SET, "a": X}}, TypeError, r"`set.a` is a pointer; pass assay.Pointer\(array\), not ndarray"),
    "a pointer too few": ("through", {"set": {"a": SET["a"], "n": 3}}, ValueError, "b, rows is missing"),
    "a pointer's dtype": (
        "through",
        {"set": {**SET, "a": assay.Pointer(X.astype("f8"))}},
        TypeError,
        "`a` is a pointer to float, and the array holds float64",
    ),
    "byte order": ("rows", {"r": X.astype(">f4")}, TypeError, "`r` has the byte order of other machines"),
    "bound twice": ("rows", {"r": STRUCTURED, 0: STRUCTURED}, ValueError, "`r` is bound twice"),
    "numbers for a struct": ("rows", {"r": X}, TypeError, "`r` is device const Row.*, and the array holds float32; pass dictionaries"),
    "other fields": (
        "rows",
        {"r": STRUCTURED.astype([("n", "<f4"), ("x", "<f4")])},
        TypeError,
        "with x float32 at byte 0, n int16 at byte 4; the array has other fields",
    ),
    "too short": (
        "plain",
        {"v": np.float32([1, 2]), "q": [[0] * 4], "on": True},
        ValueError,
        "`v` is constant float3&, of 16 bytes, and the array has 8",
    ),
    "not a bool": ("plain", {"v": [1, 2, 3], "q": [[0] * 4], "on": 2}, TypeError, "`on` is bool, not 2"),
    "a set": ("rows", {"r": {1, 2}}, TypeError, "it is set, and neither an array nor a number or a list"),
    "beyond floats": ("told", {"s": {**PARAMS, "v": [10**400, 0, 0]}}, ValueError, "`s.v.x` is float, which has no number of that size"),
    "struct of another size": ("rows", {"r": np.zeros(2, dtype="<f4,<i2")}, TypeError, "of 8 bytes, and an element of the array has 6"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_a_sentence(what):
    function, arguments, error, message = WRONG[what]
    outputs = {} if function == "through" else {"y": (10, "float")}
    with pytest.raises(error, match=message) as caught:
        assay.run(TEXT, function, arguments, outputs, grid=1, threads=1)
    assert "\n" not in str(caught.value)


def test_function_constants_are_of_their_types():
    run = lambda **constants: assay.run(TEXT, "constants", {}, {"y": (1, "uint")}, grid=1, threads=1, constants=constants)["y"][0]
    assert run(U=7, ON=True) == 7 and run(U=np.uint32(2**32 - 1), ON=np.bool_(True)) == 2**32 - 1 and run(U=3.0, ON=1) == 3
    for constants, what in (
        ({"U": 2**40, "ON": True}, "U is uint, which has no 1099511627776"),
        ({"U": -1, "ON": True}, "U is uint, which has no -1"),
        ({"U": 2.5, "ON": True}, "U is uint, and 2.5 is no whole number"),
        ({"U": 1, "ON": 2}, "ON is bool, which has no 2"),
    ):
        with pytest.raises((TypeError, ValueError), match=what):
            run(**constants)


@pytest.mark.parametrize(
    "constants, error, what",
    [
        ([1], TypeError, "constants is a dictionary, not list"),
        ({"U": None, "ON": True}, TypeError, "the value of function constant U is a number, not NoneType"),
        ({"U": 10**400, "ON": True}, ValueError, "which no whole number of Metal holds"),
        ({"U": 1, 0: 2, "ON": True}, ValueError, "is given twice"),
        ({"U": float("nan"), "ON": True}, ValueError, "is NaN"),
    ],
)
def test_constants_that_are_none(constants, error, what):
    with pytest.raises(error, match=what):
        assay.run(TEXT, "constants", {}, {"y": (1, "uint")}, grid=1, threads=1, constants=constants)


def test_infinity_is_a_constant():
    text = "constant float F [[function_constant(0)]];\nkernel void f(device float* y) { y[0] = F; }\n"
    assert assay.run(text, "f", {}, {"y": (1, "float")}, grid=1, threads=1, constants={"F": -np.inf})["y"][0] == -np.inf


def test_texels_are_of_their_format():
    text = """
    #include <metal_stdlib>
    using namespace metal;
    kernel void shown(texture2d<float> t [[texture(0)]], device float* y) { y[0] = t.read(uint2(0)).x; }
    """
    with pytest.raises(TypeError, match="`t` has texels r32float, and the array holds float64; pass float32 elements"):
        assay.run(text, "shown", {"t": assay.Texture(np.zeros((2, 2)), "r32float")}, {"y": (1, "float")}, grid=1, threads=1)
    for shape, texels, what in (
        ((2,), "r32float", "the array has 2 axes beside the channels, not 1"),
        ((2, 3), "rgba32float", "the array's last axis is 3"),
    ):
        with pytest.raises(ValueError, match=what):
            pixels = assay.Texture(np.zeros(shape, np.float32), texels)
            assay.run(text, "shown", {"t": pixels}, {"y": (1, "float")}, grid=1, threads=1)
    with pytest.raises(ValueError, match="`t`"):
        assay.run(text, "shown", {}, {"y": (1, "float")}, grid=1, threads=1)


def test_samplers_are_those_of_metal():
    with pytest.raises(ValueError, match="filter of a sampler is one of nearest, linear, not 'cubic'"):
        assay.Sampler(filter="cubic")
    with pytest.raises(ValueError, match="coordinates of a sampler"):
        assay.Sampler(coordinates="pixels")
