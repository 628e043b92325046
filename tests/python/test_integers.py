"""Whole numbers of references in Python are those of NumPy: widths, signs, what wraps around, what meets what."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import assay
from assay import reference as of_references
from assay._references import reference_text

METAL = {
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
}



def looked_up(constants: np.ndarray, at: Any) -> Any:
    return (of_references.table(constants) if isinstance(at, of_references.Array) else constants)[at]


#: Of two arrays; each gives one of the same shape.
EXPRESSIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a // b,
    lambda a, b: a % b,
    lambda a, b: a << (b & 7),
    lambda a, b: a >> (b & 7),
    lambda a, b: a >> 70,
    lambda a, b: (a << 1) >> 1,
    lambda a, b: a & b | 5 ^ a,
    lambda a, b: ~a >> 1,
    lambda a, b: -a,
    lambda a, b: abs(a),
    lambda a, b: np.maximum(a, b),
    lambda a, b: np.minimum(a, 3) // 2,
    lambda a, b: a < b,
    lambda a, b: a >= b,
    lambda a, b: a == b,
    lambda a, b: (a - np.uint32(2)) > np.uint32(3),
    lambda a, b: a.astype("uint8"),
    lambda a, b: a.astype("int8"),
    lambda a, b: a.astype(np.uint16) + 1,
    lambda a, b: a.astype("int32") >> 4,
    lambda a, b: a.astype(np.uint32) * np.uint32(1664525) + np.uint32(1013904223),
    lambda a, b: (a.astype(np.uint32) * 1664525 + 1013904223) >> 16,
    lambda a, b: a.astype(np.uint64) >> 3,
    lambda a, b: a.astype(np.uint64) // 7 % 5,
    lambda a, b: (a.astype(np.uint64) > b.astype(np.uint64)) + (a > 0),
    lambda a, b: np.where(a > b, a, 0),
    lambda a, b: np.where(a > b, a, b),
    lambda a, b: (a > 0) * b + (a > 0),
    lambda a, b: a**3,
    lambda a, b: np.sort(a),
    lambda a, b: np.argsort(a, kind="stable"),
    lambda a, b: np.cumsum(a),
    lambda a, b: a - a.max(),
    lambda a, b: a.min() + b,
    lambda a, b: np.sum(a) + 0 * a,
    lambda a, b: np.sum(a, dtype=np.int32) + 0 * a,
    lambda a, b: np.sum(a > 0) - a,
    lambda a, b: a @ b + 0 * b,
    lambda a, b: np.concatenate([a[1:], b[:1]]),
    lambda a, b: looked_up(np.array([3, 250, 7, 9], dtype=np.uint8), a % 4) + a,
    lambda a, b: (a.astype(np.int16).astype(np.float64) / 16).astype(np.int64),
    lambda a, b: a.astype(np.int64) * -(2**61) // (b | 1) % 1000,
    lambda a, b: a.astype(np.uint64) * np.uint64(2**63 + 5) >> b.astype(np.uint64) % 70,
    lambda a, b: a.astype(np.uint64) * 0x9E3779B97F4A7C15 >> 40,
    lambda a, b: (a.astype(np.uint8) << 4).view(np.int8) >> 4,
    lambda a, b: divmod(a, 7)[0] + +a.copy() + np.round(a) - a.ravel(),
    lambda a, b: a.astype(a.dtype, copy=False) + b.dtype.type(3),
    lambda a, b: np.bitwise_count(a) + np.bitwise_count(b.astype(np.uint64)),
    lambda a, b: np.sort(a.astype(np.uint64) << 60 | b.astype(np.uint64)),
    lambda a, b: np.maximum(a.astype(np.uint64), np.uint64(2**63)) % 1000 + a.astype(np.uint64).max(),
    lambda a, b: (a.astype(np.uint64) / 4).astype(np.float32) > 2**61,
]
PAIRS = [(one, one) for one in METAL] + [
    ("uint8", "int8"),
    ("uint8", "uint32"),
    ("int16", "uint16"),
    ("int32", "uint32"),
    ("int8", "uint16"),
]


def values(dtype: str, seed: int) -> np.ndarray:
    info = np.iinfo(dtype)
    random = np.random.default_rng(seed).integers(info.min, info.max, 24, dtype=dtype, endpoint=True)
    edges = [info.min, info.max, 0, 1, info.max // 2, info.max - 1, 7, 2]
    return np.random.default_rng(seed + 1).permutation(np.concatenate([np.array(edges, dtype=dtype), random]))


def halves(found: Any) -> Any:
    """Of 64 bits the low 32 and the high ones: a tensor has no more."""
    low = (found.astype(np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return np.stack([low, (found.astype(np.int64) >> 32).astype(np.uint32)])


@pytest.mark.parametrize("first, second", PAIRS)
def test_wholes_are_numpys(first, second):
    a, b = values(first, 3), values(second, 5)
    taken, rows = [], []
    for f in EXPRESSIONS:
        with np.errstate(all="ignore"):
            found = f(a, b)
        if found.dtype.kind in "bui":  # of int64 and uint64 NumPy makes float64
            taken.append(f)
            rows.append(halves(found))
    assert len(taken) > len(EXPRESSIONS) - 6
    table = ", ".join(f"{one}u" for one in np.stack(rows).reshape(-1))
    kernel = f"""
    constant uint Y[] = {{{table}}};
    kernel void copy(device const {METAL[first]}* a [[buffer(0)]], device const {METAL[second]}* b [[buffer(1)]],
                     device uint* y [[buffer(2)]], uint i [[thread_position_in_grid]]) {{
      y[i] = Y[i];
    }}
    """
    tables = "".join(
        f"static constexpr long {name}_[] = {{{', '.join(f'{one}l' for one in array)}}};\n"
        for name, array in (("a", a), ("b", b))
    )
    assay.verify(
        kernel,
        "copy",
        lambda a, b: np.stack([halves(f(a, b)) for f in taken]),
        dimensions={"E": {"values": [len(taken)]}, "n": {"values": [len(a)]}},
        tensors={"a": f"{METAL[first]}[n]", "b": f"{METAL[second]}[n]", "y": "uint[E, 2, n]:out"},
        threads=32,
        grid="E * 2 * n",
        fill=tables + "void fill(Draw&) { for (Index i = 0; i < n; ++i) { a.set(a_[i], i); b.set(b_[i], i); } }",
        mode="fast",
        numerics="strict",
        cases=1,
    )


def text_of(reference: Callable[..., Any], dtype: str = "uchar") -> str:
    dims = [{"name": "n"}]
    of_n = {"type": dtype, "shape": ["n"]}
    return reference_text(reference, dims, [{"name": "a", **of_n}, {"name": "y", "access": "out", **of_n}])


@pytest.mark.parametrize(
    "reference, error, what",
    [
        (lambda a: a + 300, OverflowError, "300 is no uint8"),
        (lambda a: a * -1, OverflowError, "-1 is no uint8"),
        (lambda a: a.astype(np.uint64) + a.astype(np.int64), TypeError, "NumPy makes floating-point numbers of int64 and uint64"),
        (lambda a: (a > 1) - (a > 2), TypeError, "subtracts no truth values"),
        (lambda a: -(a > 1), TypeError, "negates no truth values"),
        (lambda a: a**-1, ValueError, "to no negative power"),
        (lambda a: np.sum(a, initial=3) + a, TypeError, "numpy.sum in a reference: .*initial"),
        (lambda a: a + 2**64, OverflowError, "18446744073709551616 is no whole number of 64 bits"),
        (lambda a: a.view(np.int16), TypeError, "view takes uint8 as whole numbers of the same width"),
        (lambda a: a.max(initial=3), TypeError, "numpy.max in a reference: .*initial"),
        (lambda a: a.item(), AttributeError, "an array of a reference has no item"),
        (lambda a: a.__setitem__(0, 1), TypeError, "elements of a reference's arrays are not assigned"),
        (lambda a, n: a + np.arange(n), TypeError, "arange, zeros, full and tri of assay.reference in place of numpy's"),
        (lambda a, n: a + np.zeros(n), ValueError, "arange, zeros, full and tri of assay.reference in place of numpy's"),
        (lambda a: a.astype("complex64"), TypeError, "no complex64"),
    ],
)
def test_what_numpy_refuses_is_refused(reference, error, what):
    with pytest.raises(error, match=what) as caught:
        text_of(reference)
    assert "\n" not in str(caught.value)


def test_sizes_are_python_numbers_and_ranges_int64():
    assert "(unsigned char)" in text_of(lambda a, n: a + n)
    assert "(int)" not in text_of(lambda a, n: (of_references.arange(n) + a) // 3 > 5)
    assert "(int)" in text_of(lambda a, n: (of_references.arange(n, dtype=np.int32) + a) // 3 > 5)


def test_conversions_of_numbers_saturate():
    """Neither NumPy nor Metal says what they give; the nearest number is what kernels that accept them count on."""
    assert "within(whole(" in text_of(lambda a: (a * 2.0).astype("uint8"))
