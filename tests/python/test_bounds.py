"""Bounds that are derived from references in Python: those of the same references in C++, on the same cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import assay
from assay.reference import arange, full, half_from_bits, rsqrt, top_k, where

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
GALLERY = HERE.parents[1] / "examples" / "gallery"
TABLES = tomllib.loads((GALLERY / "kernels.toml").read_text(encoding="utf-8"))


# --- References of the gallery's kernels, and of an attention


def rms_norm(x, w, eps):
    return x * rsqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * w


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e * (1 / e.sum(axis=-1, keepdims=True))


def rotary(x, positions, frequencies, D):
    angle = (positions[:, None] * frequencies)[:, None, :]
    first, second = x[..., : D // 2], x[..., D // 2 :]
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)


def int8_product(A, W, A_scales, W_scales):
    return (A.astype(np.int32) @ W.T) * A_scales[:, None] * W_scales


def q4_matvec(w, x):
    scale = half_from_bits(w[:, :, 0] | w[:, :, 1].astype(np.uint16) << 8)
    bits = w[:, :, 2:]
    codes = np.concatenate([bits & 15, bits >> 4], axis=-1).astype(np.int8) - 8
    weights = codes * scale[:, :, None]
    return weights.reshape(weights.shape[0], -1) @ x


def best_of_rows(x, K):
    return top_k(x, K)


def prefix_sum(x, N):
    y, tiles = np.cumsum(x), (N + 255) // 256
    last = np.minimum(arange(tiles) * 256 + 255, N - 1)
    place = arange(tiles)[:, None] * 256 + arange(256)
    own = where(place < N, x[np.minimum(place, N - 1)], 0)
    return {"y": y, "begun": full((1,), tiles), "states": full((tiles,), 2), "sums": own.sum(axis=1), "prefixes": y[last]}


def histogram(x, counts):
    return counts + np.bincount(x, minlength=256)


def convolution(image, weights, H, W):
    rows = np.clip(arange(H)[:, None] + arange(3) - 1, 0, H - 1)
    columns = np.clip(arange(W)[:, None] + arange(3) - 1, 0, W - 1)
    return np.einsum("hwij,ij->hw", image[rows[:, None, :, None], columns[None, :, None, :]], weights)


def attention(q, k, v):
    e = np.exp((s := q @ k.T * 0.125) - s.max(axis=-1, keepdims=True))
    return e @ v / e.sum(axis=-1, keepdims=True)


def fill_of(name: str) -> str:
    """How the file draws inputs, word for word."""
    text = (GALLERY / name).read_text(encoding="utf-8")
    begin = text.index("void fill(")
    return text[begin : text.index("\n}\n", begin) + 3]


def of_gallery(name: str, reference: Any, fill: str = "") -> assay.StatedKernel:
    operation = dict(next(one for one in TABLES["operation"] if one["name"] == name))
    entry = dict(next(one for one in TABLES["kernel"] if one["name"] == name))
    for field in ("name", "reference"):
        operation.pop(field)
    for field in ("name", "operation"):
        entry.pop(field)
    return assay.stated(
        GALLERY / entry.pop("source"),
        name,
        GALLERY / f"{name}.reference.cpp" if reference is None else reference,
        dimensions=operation.pop("dimensions"),
        tensors={one["name"]: one for one in operation.pop("tensors")},
        threads=entry.pop("threads_per_threadgroup"),
        grid=entry.pop("grid"),
        grid_in=entry.pop("grid_unit", "threadgroups"),
        arguments=entry.pop("arguments"),
        fill=fill,
        operation=operation,
        entry=entry,
    )


def of_attention(reference: Any) -> assay.StatedKernel:
    return assay.stated(
        HERE / "attention.metal",
        "attention",
        HERE / "attention.reference.cpp" if reference is None else reference,
        dimensions={"M": {"largest": 3, "independent": True}, "S": {"largest": 40, "reduced": True}},
        tensors={"q": "half[M, 64]", "k": "half[S, 64]", "v": "half[S, 64]", "out": "float[M, 64]:out"},
        threads=64,
        grid="M",
        grid_in="threadgroups",
        entry={"requires": {"S_max": 256}},
    )


def errors_of(kernel: assay.StatedKernel) -> Any:
    """How results lie in what is right, over some hundred cases: elements, by their share of what is allowed."""
    found = kernel.verify(mode="fast", numerics="strict", cases=30)
    assert found.cases > 30
    return found.modes[0].data["errors"]


GALLERY_REFERENCES: list[tuple[str, Callable[..., Any], str]] = [
    ("rms_norm", rms_norm, ""),
    ("softmax_two_pass", softmax, fill_of("include/softmax_rows.h")),
    ("rotary", rotary, ""),
    ("int8_product", int8_product, ""),
    ("q4_matvec", q4_matvec, fill_of("q4_matvec.reference.cpp")),
    ("top_k", best_of_rows, ""),
    ("prefix_sum", prefix_sum, ""),
    ("histogram", histogram, ""),
    ("convolution", convolution, ""),
]


@pytest.mark.parametrize("name,reference,fill", GALLERY_REFERENCES, ids=[one[0] for one in GALLERY_REFERENCES])
def test_bounds_are_those_of_the_reference_in_cpp(name, reference, fill):
    assert errors_of(of_gallery(name, reference, fill)) == errors_of(of_gallery(name, None))


def test_bounds_of_an_attention_are_those_of_the_reference_in_cpp():
    assert errors_of(of_attention(attention)) == errors_of(of_attention(None))
