"""`torch.mps.compile_shader` as PyTorch's users call it."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402
import assay.torch  # noqa: E402

SOURCE = """
#include <metal_stdlib>
using namespace metal;
kernel void full(device float* out, constant float& value, uint i [[thread_position_in_grid]]) { out[i] = value; }
kernel void add(device float* out, device const float* x, constant int& n, uint i [[thread_position_in_grid]]) {
  if (i < uint(n)) out[i] += x[i];
}
kernel void halves(device half* out, constant half& value, uint i [[thread_position_in_grid]]) { out[i] = value; }
kernel void numbers(device float* out, constant long* values, uint i [[thread_position_in_grid]]) { out[i] = values[i]; }
kernel void strided(device float* out, constant long2& strides, uint2 at [[thread_position_in_grid]]) {
  out[at.x * strides.x + at.y * strides.y] = at.x + 10 * at.y;
}
kernel void outside(device float* out, uint i [[thread_position_in_grid]]) { out[i + 1] = 2; }  // one too far
"""


@pytest.fixture
def library():
    undo = assay.torch.install()
    yield torch.mps.compile_shader(SOURCE)
    undo()


def test_tensors_change_in_place(library):
    x = torch.zeros(16, device="mps")
    library.full(x, 3.5)
    assert x.tolist() == [3.5] * 16
    library.add(x, x, 4, threads=16, group_size=8)
    assert x.tolist() == [7] * 4 + [3.5] * 12


def test_views_are_where_they_are(library):
    x = torch.arange(16, dtype=torch.float32)
    library.add(x[4:8], x[0:4], 4)
    assert x.tolist() == [0, 1, 2, 3, 4, 6, 8, 10, *range(8, 16)]
    out = torch.zeros(3, 5).T
    library.strided(out, list(out.stride()), threads=(5, 3), group_size=(5, 3))
    assert out[4, 2] == 24
    with pytest.raises(assay.OutOfBounds) as raised:
        library.outside(x[:8])
    assert "// one too far" in Path(__file__).read_text().split("\n")[int(raised.value.summary.split(":")[1]) - 1]
    assert x[8] == 8


def test_numbers_have_64_bits_unless_they_are_cast(library):
    out = torch.zeros(4, dtype=torch.float16)
    library.halves(out, 1.5, arg_casts="fp16")
    assert out.tolist() == [1.5] * 4
    library.halves(out, 2.5, arg_casts={1: "fp16"})
    assert out.tolist() == [2.5] * 4
    numbers = torch.zeros(3)
    library.numbers(numbers, [7, 8, 1 << 33])
    assert numbers.tolist() == [7, 8, 1 << 33]
    with pytest.raises(ValueError, match="arg_casts has no 'half'; it has fp16"):
        library.halves(out, 1.5, arg_casts="half")


def test_names_are_listed_and_texts_refused(library):
    assert dir(library) == sorted(["full", "add", "halves", "numbers", "strided", "outside"])
    with pytest.raises(AttributeError, match="the text has no kernel nothing; it has full, add"):
        library.nothing
    assert library.full.max_threads_per_threadgroup == 1024 and library.full.thread_execution_width == 32
    with pytest.raises(assay.MetalError):
        torch.mps.compile_shader("kernel void f(device float* x) { x[0] = nothing; }").f
    with pytest.raises(TypeError, match="`value` is given str; a kernel takes tensors, numbers and lists of numbers"):
        library.full(torch.zeros(3), "3")
    with pytest.raises(ValueError, match="`out` has no elements"):
        library.full(torch.zeros(0), 1.0, threads=1)


def test_mps_is_a_name_of_the_cpu():
    undo = assay.torch.install()
    try:
        assert torch.backends.mps.is_available()
        x = torch.ones(3, device=torch.device("mps")).to("mps").to(device="mps:0")
        assert x.device.type == "cpu" and torch.equal(x + x, torch.full((3,), 2.0))
    finally:
        undo()
    assert not torch.backends.mps.is_available()


def test_what_pytorch_refuses_is_refused_as_there(library):
    with pytest.raises(SyntaxError):
        torch.mps.compile_shader("no Metal")
    with pytest.raises(RuntimeError, match="no kernel nothing"):
        library.nothing
    with pytest.raises(RuntimeError, match="threads must be given"):
        library.full(12)
    with pytest.raises(ValueError, match="group_size is 1029 threads"):
        library.full(torch.zeros(8), 1.0, group_size=1029)


def test_a_tensor_of_one_double_is_a_number(library):
    x = torch.zeros(4)
    library.full(x, torch.tensor(0.5, dtype=torch.float64))
    assert x.tolist() == [0.5] * 4


def test_lists_of_tensors_are_argument_buffers(library):
    lib = torch.mps.compile_shader(
        """
        struct Parts { metal::array<device float*, 3> of; };
        kernel void gather(device float* sum, constant Parts& parts, uint i [[thread_position_in_grid]]) {
          sum[i] = parts.of[0][i] + parts.of[1][i];
          parts.of[2][i] = 1;
        }
        """
    )
    parts, out = [torch.full((5,), float(i)) for i in (2, 3, 4)], torch.empty(5)
    lib.gather(out, parts)
    assert out.tolist() == [5] * 5
    assert parts[0].tolist() == [2] * 5 and parts[2].tolist() == [1] * 5


def test_bfloat16_needs_no_type_of_numpys():
    lib = assay.torch.compile_shader(
        "kernel void halve(device bfloat* x, uint i [[thread_position_in_grid]]) { x[i] = bfloat(float(x[i]) / 2); }"
    )
    x = torch.tensor([3.0, 5.0], dtype=torch.bfloat16)
    lib.halve(x)
    assert x.tolist() == [1.5, 2.5]


def test_headers_of_pytorch_are_there():
    if not assay.torch._headers():
        pytest.skip("this PyTorch has no headers for kernels")
    lib = assay.torch.compile_shader(
        """
        #include <c10/metal/utils.h>
        kernel void rest(device int* out, uint i [[thread_position_in_grid]]) { out[i] = c10::metal::safe_mod(i, 3); }
        """
    )
    out = torch.empty(5, dtype=torch.int32)
    lib.rest(out)
    assert out.tolist() == [0, 1, 2, 0, 1]
    assert dir(assay.torch.compile_shader("#include <c10/metal/special_math.h>")) == []


REPORTS = """
struct Message { char file[128]; char function[128]; char text[250]; uint line; };
struct Messages { metal::atomic<uint> count; Message of[30]; };
kernel void positive(device float* x, device Messages* said, constant float& least, uint i [[thread_position_in_grid]]) {
  if (x[i] >= least) return;
  const uint at = atomic_fetch_add_explicit(&said->count, 1, metal::memory_order_relaxed);
  said->of[at].file[0] = 'm';
  said->of[at].function[0] = 'f';
  said->of[at].text[0] = 'n';
  said->of[at].line = 7;
}
"""


def test_what_kernels_report_synchronize_raises(library):
    lib = torch.mps.compile_shader(REPORTS)
    lib.positive(torch.ones(4), 0.5, error_buf_idx=1)
    torch.mps.synchronize()
    lib.positive(torch.tensor([1.0, 0.0]), 0.5, error_buf_idx=1)
    with pytest.raises(RuntimeError, match="m:7: f: n"):
        torch.mps.synchronize()
    torch.mps.synchronize()
