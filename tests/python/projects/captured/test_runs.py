"""Launches of a project's own tests: what --assay-capture writes down."""

import assay
import numpy as np
import pytest

SCALED = """
#include <metal_stdlib>
using namespace metal;
kernel void scaled_sums(device const half* x [[buffer(0)]], device const uint* order [[buffer(1)]],
                        device float* y [[buffer(2)]], constant uint& N [[buffer(3)]], constant float& scale [[buffer(4)]],
                        threadgroup float* all [[threadgroup(0)]], uint row [[threadgroup_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
  for (uint i = t; i < N; i += 32) all[i] = x[order[row] * N + i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t > 0) return;
  float sum = 0;
  for (uint i = 0; i < N; ++i) sum += all[i];
  y[row] = sum * scale;
}
"""


@pytest.mark.parametrize("rows, columns", [(3, 8), (8, 64), (5, 24), (3, 8)])
def test_scaled_sums(rows, columns):
    x = np.arange(rows * columns).reshape(rows, columns) % 8 - 3
    order = np.arange(rows, dtype=np.uint32)[::-1].copy()
    written = assay.run(
        SCALED,
        "scaled_sums",
        {"x": x.astype(np.float16), "order": order, "N": columns, "scale": 0.5},
        {"y": (rows, "float32")},
        grid=rows,
        threads=32,
        grid_in="threadgroups",
        threadgroup_memory={"all": 16 * -(-columns // 4)},
    )
    np.testing.assert_array_equal(written["y"], x[order].sum(axis=1) / 2)


def test_at_one_size():
    text = "kernel void twice(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }"
    assert assay.run(text, None, {"x": np.ones(96, np.float32)}, grid=96, threads=32)["x"].sum() == 192
