# What an MLX project's own tests look like: `pytest --assay` runs them where there is no Metal.
import unittest

import mlx.core as mx
import pytest

SHIFTED = """
    uint i = thread_position_in_grid.x;
    out[i] = x[i + 1];
"""


def launched(source, count):
    kernel = mx.fast.metal_kernel(name="model", input_names=["x"], output_names=["out"], source=source)
    return kernel(
        inputs=[mx.arange(count, dtype=mx.float32)],
        grid=(count, 1, 1),
        threadgroup=(32, 1, 1),
        output_shapes=[(count,)],
        output_dtypes=[mx.float32],
        stream=mx.gpu,
    )[0]


class TestModel(unittest.TestCase):
    @unittest.skipIf(not mx.is_available(mx.gpu), "No GPU available")
    def test_right(self):
        out = launched("out[thread_position_in_grid.x] = x[thread_position_in_grid.x];", 64)
        self.assertTrue(mx.array_equal(out, mx.arange(64)))

    @unittest.skipIf(not mx.metal.is_available(), "Metal is not available")
    def test_reads_too_far(self):
        launched(SHIFTED, 64)


@pytest.mark.skipif(not mx.metal.is_available(), reason="Metal is not available")
def test_wrong_result():
    assert launched("out[thread_position_in_grid.x] = 0;", 64)[3] == 3


def with_fallback(count):
    try:
        return launched(SHIFTED, count)
    except Exception:
        return mx.arange(count, dtype=mx.float32)


@pytest.mark.skipif(not mx.metal.is_available(), reason="Metal is not available")
def test_fallback_hides_what_went_wrong():
    assert with_fallback(64).shape == (64,)


@pytest.mark.assay_faults
@pytest.mark.skipif(not mx.metal.is_available(), reason="Metal is not available")
def test_fallback_on_purpose():
    assert with_fallback(64).shape == (64,)
