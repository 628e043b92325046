"""`mx.fast.metal_kernel` as MLX's users call it, and what an MLX project's own tests see."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

mx = pytest.importorskip("mlx.core")

import assay  # noqa: E402
import assay.mlx  # noqa: E402


@pytest.fixture(autouse=True)
def in_place():
    undo = assay.mlx.install()
    yield
    undo()


def kernel_of(source, inputs=("x",), **options):
    return mx.fast.metal_kernel(name="made", input_names=list(inputs), output_names=["out"], source=source, **options)


def launched(kernel, inputs, shape, dtype=mx.float32, **options):
    count = 1
    for one in shape:
        count *= one
    given = {"grid": (count, 1, 1), "threadgroup": (32, 1, 1), **options}
    return kernel(inputs=inputs, output_shapes=[shape], output_dtypes=[dtype], **given)[0]


def test_mlx_says_that_there_is_a_gpu_until_it_is_undone():
    assert mx.metal.is_available() and mx.is_available(mx.gpu)
    assert mx.array_equal(mx.add(mx.ones(3), 1, stream=mx.gpu), mx.full((3,), 2.0))
    undo = assay.mlx.install()
    undo()
    assert mx.metal.is_available()  # that of the fixture stays


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_templates_numbers_and_dtypes(name):
    dtype = getattr(mx, name)
    kernel = kernel_of("uint i = thread_position_in_grid.x;\nout[i] = T(x[i] * f) * N + T(BACK);", ("x", "f"))
    x = mx.arange(100).astype(dtype)
    out = launched(kernel, [x, 0.5], x.shape, dtype, template=[("T", dtype), ("N", 4), ("BACK", True)])
    assert out.dtype == dtype and mx.array_equal(out, (x * 0.5 * 4 + 1).astype(dtype))


@pytest.mark.parametrize("count", [3, 40])
def test_complex_numbers(count):
    source = """
        uint i = thread_position_in_grid.x;
        complex64_t product = x[i] * y[i] + T(1.0f, 2.0f);
        if (product == complex64_t(0.0f, 0.0f)) product = product / x[i] - y[i];
        out[i] = product * complex64_t(0.5f);
    """
    x = mx.arange(count) * (1 + 2j)
    y = mx.arange(count, 2 * count) * (2 - 1j)
    out = launched(kernel_of(source, ("x", "y")), [x, y], (count,), mx.complex64, template=[("T", mx.complex64)])
    assert out.dtype == mx.complex64 and mx.array_equal(out, (x * y + (1 + 2j)) * 0.5)
    real = launched(kernel_of("uint i = thread_position_in_grid.x; out[i] = x[i].real + x[i].imag;"), [x], (count,))
    assert mx.array_equal(real, mx.arange(count) * 3.0)


def test_shapes_strides_and_views():
    source = """
        uint i = thread_position_in_grid.x;
        out[i] = x[elem_to_loc(i, x_shape, x_strides, x_ndim)];
    """
    x = mx.arange(24, dtype=mx.float32).reshape(4, 6).T
    assert mx.array_equal(launched(kernel_of(source, ensure_row_contiguous=False), [x], x.shape), x)
    assert mx.array_equal(launched(kernel_of("uint i = thread_position_in_grid.x; out[i] = x[i];"), [x], x.shape), x)


def test_few_elements_lie_in_constant_memory():
    kernel = kernel_of("uint i = thread_position_in_grid.x;\nconst constant float* at = x + i;\nout[i] = *at;")
    assert mx.array_equal(launched(kernel, [mx.arange(7, dtype=mx.float32)], (7,)), mx.arange(7))
    with pytest.raises(assay.MetalError):
        launched(kernel, [mx.arange(8, dtype=mx.float32)], (8,))


def test_outputs_begin_with_init_value_and_may_be_atomic():
    kernel = kernel_of(
        "atomic_fetch_add_explicit(&out[x[thread_position_in_grid.x]], 1, memory_order_relaxed);", atomic_outputs=True
    )
    x = mx.array([0, 1, 1, 3] * 8, dtype=mx.int32)
    out = kernel(
        inputs=[x], grid=(32, 1, 1), threadgroup=(32, 1, 1), output_shapes=[(4,)], output_dtypes=[mx.int32], init_value=2
    )[0]
    assert out.tolist() == [10, 18, 2, 10]


def test_headers_and_math_mode():
    kernel = kernel_of(
        "out[thread_position_in_grid.x] = twice(x[thread_position_in_grid.x]);",
        header="template <typename T> T twice(T v) { return v + v; }",
    )
    assert mx.array_equal(launched(kernel, [mx.ones(40)], (40,)), mx.full((40,), 2.0))
    source = "#ifdef __FAST_MATH__\nout[0] = 1;\n#else\nout[0] = 0;\n#endif\n"
    for mode, said in (("safe", 0), ("fast", 1)):
        kernel = kernel_of(source, compile_options={"math_mode": mode})
        assert launched(kernel, [mx.ones(1)], (1,), threadgroup=(1, 1, 1)).item() == said
    with pytest.raises(ValueError, match='math_mode is "safe", "relaxed" or "fast"'):
        kernel_of(source, compile_options={"math_mode": "precise"})
    with pytest.raises(ValueError, match="compile_options has no unroll; it has math_mode"):
        kernel_of(source, compile_options={"unroll": "4"})


def test_arrays_without_elements():
    kernel = kernel_of("uint i = thread_position_in_grid.x;\nif (i < uint(x_shape[0])) out[i] = x[i];")
    assert launched(kernel, [mx.zeros((0,))], (0,), grid=(32, 1, 1)).shape == (0,)
    assert launched(kernel, [mx.zeros((0,))], (0,), grid=(0, 1, 1)).shape == (0,)


def test_a_fault_has_the_line_of_the_body():
    source = """
        uint i = thread_position_in_grid.x;
        out[i] = x[i + 1];  // one too many
    """
    with pytest.raises(assay.OutOfBounds) as raised:
        launched(kernel_of(source), [mx.zeros(64)], (64,))
    line = 1 + next(i for i, text in enumerate(Path(__file__).read_text().split("\n")) if "// one too many" in text)
    assert f"test_mlx.py:{line}: " in raised.value.summary


def test_functions_that_are_compiled_or_have_a_gradient():
    kernel = kernel_of("uint i = thread_position_in_grid.x;\nout[i] = x[i] * 2;")

    @mx.compile
    def doubled(x):
        return launched(kernel, [x + 1], x.shape)

    @mx.custom_function
    def with_gradient(x):
        return launched(kernel, [x], x.shape)

    @with_gradient.vjp
    def with_gradient_vjp(primals, cotangent, output):
        return cotangent * 2

    for value in (0, 1):
        assert mx.array_equal(doubled(mx.full((8,), value)), mx.full((8,), 2.0 * (value + 1)))
    assert mx.array_equal(mx.compile(lambda x: x + 1)(mx.ones(3)), mx.full((3,), 2.0))
    assert mx.array_equal(mx.grad(lambda x: with_gradient(x).sum())(mx.ones(8)), mx.full((8,), 2.0))
    with pytest.raises(NotImplementedError, match="made is launched on arrays that have no elements yet"):
        mx.vmap(lambda x: launched(kernel, [x], (4,)))(mx.ones((2, 4)))


@pytest.mark.parametrize(
    "change, words",
    [
        ({"inputs": []}, "made takes 1 inputs, not 0"),
        ({"grid": None}, "made is called without grid"),
        ({"output_dtypes": []}, "made has 1 outputs, and needs a shape and a dtype for each"),
        ({"threadgroup": (1024, 2, 1)}, "more than 1,024 threads"),
        ({"grid": (1, 1, 1, 1)}, "grid is three whole numbers"),
        ({"grid": (8.0, 1, 1)}, "grid is three whole numbers"),
        ({"threadgroup": 8}, "threadgroup is three whole numbers"),
        ({"output_shapes": [(-8,)]}, "output_shapes holds shapes"),
        ({"output_shapes": [8]}, "output_shapes holds shapes"),
        ({"template": {"N": 1}}, "template is a list of pairs"),
        ({"template": [("T", "float8")]}, "float8"),
    ],
)
def test_misuse_is_a_sentence(change, words):
    call = dict(
        inputs=[mx.ones(8)], grid=(8, 1, 1), threadgroup=(8, 1, 1), output_shapes=[(8,)], output_dtypes=[mx.float32]
    )
    with pytest.raises((ValueError, TypeError), match=words):
        kernel_of("out[0] = x[0];")(**{**call, **change})


def test_a_gradient_through_a_kernel_is_an_error_and_not_zero():
    double = kernel_of("out[thread_position_in_grid.x] = 2 * x[thread_position_in_grid.x];")

    def summed(x):
        return launched(double, [x], x.shape).sum()

    x = mx.array([1.0, 2.0, 3.0])
    assert summed(x).item() == 12
    for derived in (mx.grad(summed), lambda x: mx.jvp(summed, [x], [x])):
        with pytest.raises(ValueError, match="made has no derivative; state one by mx.custom_function"):
            derived(x)
    stated = mx.custom_function(summed)
    stated.vjp(lambda x, cotangent, _: mx.full(x.shape, 2.0) * cotangent)
    assert mx.grad(stated)(x).tolist() == [2, 2, 2]
    assert mx.grad(lambda x: mx.stop_gradient(summed(x)) * x.sum())(x).tolist() == [12, 12, 12]


@pytest.mark.parametrize("make", [lambda: {"w": mx.array(1.0)}, lambda: [{"w": mx.array(1.0)}], lambda: {"all": [mx.array(1.0)]}])
def test_state_that_mx_compile_captures_stays_whole(make):
    double = kernel_of("out[thread_position_in_grid.x] = 2 * x[thread_position_in_grid.x];")
    state = make()

    def leaf(tree, value=None):
        key = 0 if isinstance(tree, list) else next(iter(tree))
        if isinstance(tree[key], (list, dict)):
            return leaf(tree[key], value)
        tree[key] = tree[key] if value is None else value
        return tree[key]

    @partial(mx.compile, inputs=state, outputs=state)
    def step(x):
        leaf(state, leaf(state) + launched(double, [x], x.shape).sum())

    x = mx.arange(8.0)
    step(x)
    step(x)
    assert leaf(state).item() == 113


def test_outputs_without_axes():
    assert launched(kernel_of("out[0] = 3;"), [mx.ones(1)], (), grid=(1, 1, 1)).shape == ()


def test_numbers_beyond_32_bits_have_64():
    kernel = kernel_of("out[0] = n >> 38;", ("n",))
    assert launched(kernel, [2**40], (1,), mx.int32).item() == 4
    with pytest.raises(OverflowError, match="`n` is 36893488147419103232"):
        launched(kernel, [2**65], (1,), mx.int32)


def test_views_that_run_backwards_are_refused():
    kernel = kernel_of("out[thread_position_in_grid.x] = x[0];", ensure_row_contiguous=False)
    with pytest.raises(NotImplementedError, match=r"`x` is a view that runs backwards.*mx.contiguous\(x\)"):
        launched(kernel, [mx.arange(8.0)[::-1]], (8,))


def test_a_body_is_verified_against_a_reference():
    def stated(source):
        return assay.mlx.stated(
            "limited",
            ["x", "factor"],
            ["out"],
            source,
            header="template <typename T> T limited(T value, T limit) { return metal::clamp(value, -limit, limit); }",
            reference=lambda x, factor: np.clip(x * factor, -4, 4),
            dimensions={"M": {"largest": 16}, "N": {"largest": 64}},
            tensors={"x": "half[M, N]", "factor": "float[]:0.5|2|3", "out": "half[M, N]:out"},
            template=[("T", mx.float32), ("LIMIT", 4)],
            grid=["N", "M", 1],
            threadgroup=(32, 2, 1),
        )

    body = "uint2 at = thread_position_in_grid.xy;\nuint i = at.y * x_shape[1] + at.x;\n"
    assert stated(body + "out[i] = limited(T(x[i]) * T(factor), T(LIMIT));").verify(cases=10, mode="fast")
    with pytest.raises(assay.WrongResult):
        stated(body + "out[i] = limited(T(x[i]) * T(factor), T(LIMIT - 1));").verify(cases=10, mode="fast")


def test_devices_are_told_apart():
    assert mx.default_device() == mx.gpu and mx.gpu == mx.default_device() and mx.default_device() != mx.cpu
    assert str(mx.default_device()) == "Device(gpu, 0)" and mx.default_device().type == mx.DeviceType.gpu
    x = mx.arange(4)
    assert mx.add(x, x, stream=mx.gpu).tolist() == [0, 2, 4, 6] and mx.is_available(mx.gpu)
    with mx.stream(mx.cpu):
        assert mx.default_device() == mx.cpu and mx.default_device() != mx.gpu
        assert str(mx.default_device()) == "Device(cpu, 0)"
        with mx.stream(mx.gpu):
            assert mx.default_device() == mx.gpu
    with mx.stream(mx.default_device()):
        assert mx.default_device() == mx.gpu
    try:
        mx.set_default_device(mx.cpu)
        assert mx.default_device() == mx.cpu and isinstance(mx.default_device(), mx.Device)
        mx.set_default_device(mx.Device(mx.gpu, 0))
        assert mx.default_device() == mx.Device(mx.gpu) == mx.gpu
    finally:
        mx.set_default_device(mx.gpu)
    assert isinstance(mx.Device(mx.cpu, 0), mx.Device) and mx.Device(mx.cpu, 0) == mx.cpu
