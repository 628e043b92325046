"""Kernels on one's own arrays: what they compute, what a fault is, what misuse is."""

import array
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import assay

TEXTS = Path(__file__).parent / "kernels.metal"
X = np.arange(64, dtype=np.float32)
MODES = ("checked", "fast")


def launched(function, arguments, outputs=None, **options):
    return assay.run(TEXTS, function, arguments, outputs, **{"grid": 64, "threads": 32, **options})


@pytest.mark.parametrize("mode", MODES)
def test_outputs_come_back_by_name(mode):
    results = launched("doubled", {"x": X, "n": 64}, {"y": ((8, 8), "float32")}, mode=mode)
    assert list(results) == ["y"]
    np.testing.assert_array_equal(results["y"], 2 * X.reshape(8, 8))


def test_arguments_by_index():
    results = launched("doubled", {0: X, 2: 10}, {1: assay.Empty((64,), np.float32, fill=-1)})
    np.testing.assert_array_equal(results["y"], np.where(X < 10, 2 * X, -1))


def test_what_a_kernel_may_write_comes_back_and_arguments_stay():
    y = np.full(64, 3, np.int32)
    results = launched("scaled", {"y": y}, constants={"SCALE": 7})
    assert set(results["y"]) == {21} and set(y) == {3}
    assert set(launched("scaled", {"y": y}, constants={0: -1})["y"]) == {-3}
    assert set(launched("scaled", {"y": y})["y"]) == {3}


def test_structs_are_dictionaries_or_bytes():
    given = {"rows": 9, "factor": 0.5}
    empty = assay.Empty((64,), "half", fill=0)
    for sizes in (given, [9, 0.5], np.array([(9, 0.5)], dtype=[("rows", "<u4"), ("factor", "<f4")])):
        y = launched("in_struct", {"y": empty, "sizes": sizes})["y"]
        assert y.dtype == np.float16
        np.testing.assert_array_equal(y[:10], [*(np.arange(9) * 0.5), 0])
    with pytest.raises(ValueError, match="`sizes` has the fields rows, factor; factor is missing"):
        launched("in_struct", {"y": empty, "sizes": {"rows": 9}})
    with pytest.raises(ValueError, match="it has no columns"):
        launched("in_struct", {"y": empty, "sizes": {**given, "columns": 1}})


def test_threadgroup_memory():
    results = launched("reversed", {"x": X}, {"y": ((64,), X.dtype)}, threadgroup_memory={"staged": 128})
    np.testing.assert_array_equal(results["y"], X.reshape(2, 32)[:, ::-1].ravel())
    with pytest.raises(ValueError, match=r"`staged`, \[\[threadgroup\(0\)\]\], is given no memory"):
        launched("reversed", {"x": X}, {"y": ((64,), X.dtype)})
    for size, error in ((-16, ValueError), (8, ValueError), (16.5, TypeError), ("a", TypeError), (None, TypeError)):
        with pytest.raises(error, match=r"threadgroup_memory\['staged'\]"):
            launched("reversed", {"x": X}, {"y": ((64,), X.dtype)}, threadgroup_memory={"staged": size})
    with pytest.raises(ValueError, match="no threadgroup memory 'shared'"):
        launched("reversed", {"x": X}, {"y": ((64,), X.dtype)}, threadgroup_memory={"shared": 128})


def test_grids_of_threadgroups_are_whole():
    results = launched("doubled", {"x": X, "n": 64}, {"y": (64, "float")}, grid=2, grid_in="threadgroups")
    np.testing.assert_array_equal(results["y"], 2 * X)


def test_argument_buffers():
    made = assay.Empty((64,), np.float32)
    fields = {"a": assay.Pointer(X), "b": assay.Pointer(made), "n": np.uint32(64)}
    np.testing.assert_array_equal(launched("through", {"set": fields})["b"], X + 1)


def test_textures():
    pixels = np.arange(12, dtype=np.float32).reshape(3, 4)
    texture = assay.Texture(pixels, "r32float")
    y = launched("sampled", {"image": texture}, {"y": ((3, 4), "float32")}, grid=(4, 3), threads=(4, 3))["y"]
    np.testing.assert_array_equal(y, pixels)
    with pytest.raises(TypeError, match="`image` is a texture; pass assay.Texture"):
        launched("sampled", {"image": pixels}, {"y": ((3, 4), "float32")}, grid=(4, 3), threads=(4, 3))


@pytest.mark.parametrize("form, dtype, channels", [("rgba8unorm", np.uint8, 4), ("rg16float", np.float16, 2), ("rgba32float", np.float32, 4)])
def test_texels_have_channels(form, dtype, channels):
    pixels = np.arange(3 * 5 * channels).reshape(3, 5, channels).astype(dtype)
    y = launched("summed", {"image": assay.Texture(pixels, form)}, {"y": ((3, 5), "float32")}, grid=(5, 3), threads=(5, 3))["y"]
    numbers = pixels.astype(np.float64) / (255 if form.endswith("unorm") else 1)
    alpha = 1 if channels == 2 else 0  # what a texture without it reads as
    np.testing.assert_allclose(y, numbers.sum(-1) + alpha, rtol=4 * np.finfo(np.float32).eps)


def test_numbers_of_64_and_of_16_bits():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    y = launched("wide", {"x": np.arange(64) - 3}, {"y": (64, "bfloat16")})["y"]
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), np.arange(64) - 3)


class Lent:
    """An array that is known by DLPack alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_arrays_by_the_buffer_protocol_and_by_dlpack():
    for x in (array.array("f", X.tolist()), memoryview(X), Lent(X), X.tolist()):
        np.testing.assert_array_equal(launched("doubled", {"x": x, "n": 64}, {"y": (64, "float")})["y"], 2 * X)


def test_arrays_that_share_memory_share_it_in_the_kernel():
    both = np.arange(128, dtype=np.float32)
    results = launched("unwritten", {"x": both[:64], "y": both[32:96]}, grid=64, threads=64, mode="fast")
    assert results["y"][0] == both[32] + both[0]
    with pytest.raises(assay.Race):
        launched("unwritten", {"x": both[:64], "y": both[1:65]}, threads=64)


FAULTS = {
    "racing": (assay.Race, {"x": X}, ["y"]),
    "outside": (assay.OutOfBounds, {}, ["y"]),
    "unwritten": (assay.UninitialisedRead, {"x": X}, ["y"]),
    "divergent": (assay.DivergentBarrier, {}, ["y"]),
}


@pytest.mark.parametrize("function", FAULTS)
def test_a_fault_is_an_exception_of_its_kind(function):
    kind, arguments, outputs = FAULTS[function]
    with pytest.raises(kind) as raised:
        launched(function, arguments, {one: (64, "float") for one in outputs}, threads=64)
    fault = raised.value
    line = next(i for i, text in enumerate(TEXTS.read_text().split("\n"), 1) if f"kernel void {function}" in text)
    assert fault.report.startswith(f"{function}: {kind.verdict}\n")
    assert "kernels.metal:" in fault.summary
    assert fault.data["faults"][0]["kind"] == kind.verdict
    assert line < fault.data["faults"][0]["place"]["line"] < line + 6
    assert fault.report.split("\n")[0] in fault._repr_html_()


def test_a_launch_without_end_is_a_timeout_and_the_next_one_runs():
    kernel = assay.Kernel(TEXTS, "endless", timeout=0.3)
    with pytest.raises(assay.Timeout):
        kernel.run({"on": 1}, {"y": (1, "float")}, grid=1, threads=1)
    assert kernel.run({"on": 0}, {"y": assay.Empty((1,), "float", fill=5)}, grid=1, threads=1)["y"][0] == 5


def test_a_string_is_quoted_by_its_line_in_the_file_that_holds_it():
    text = """
kernel void f(device float* y, uint i [[thread_position_in_grid]]) {
  y[2 * i] = 1;  // this line
}
"""
    with pytest.raises(assay.OutOfBounds) as raised:
        assay.run(text, "f", {}, {"y": (8, "float")}, grid=8, threads=8)
    line = 1 + next(i for i, one in enumerate(Path(__file__).read_text().split("\n")) if "// this line" in one)
    assert f"test_run.py:{line}" in raised.value.summary
    with pytest.raises(assay.OutOfBounds) as raised:
        assay.run(text.replace("1;", "3;"), "f", {}, {"y": (8, "float")}, grid=8, threads=8)
    assert raised.value.summary.startswith("f.metal:3: ")
    assert "3 | y[2 * i] = 3;" in raised.value.report


def test_texts_that_are_no_metal():
    with pytest.raises(assay.MetalError) as raised:
        assay.Kernel("kernel void f(device float* y) {\n y[0] = nothing; }", "f")
    assert (raised.value.file, raised.value.line) == ("f.metal", 2)
    with pytest.raises(assay.MetalError, match="`g`"):
        assay.Kernel("kernel void f(device float* y) { y[0] = 1; }", "g")
    with pytest.raises(ValueError, match="there is no file no_such.metal"):
        assay.Kernel("no_such.metal", "f")
    with pytest.raises(ValueError, match="has 13 kernels; name one of doubled, "):
        assay.Kernel(TEXTS)
    with pytest.raises(ValueError, match="no function constant SHIFT; it has SCALE"):
        assay.Kernel(TEXTS, "scaled", constants={"SHIFT": 1})
    with pytest.raises(TypeError, match="a kernel's source is a text or a path, not int"):
        assay.Kernel(3)
    with pytest.raises(ValueError, match='mode is "checked" or "fast"'):
        assay.Kernel(TEXTS, "doubled", mode="quick")


MISUSE = {
    "a wrong dtype": (dict(x=X.astype(np.float16)), {}, TypeError, "`x` is device const float.*holds float16"),
    "a missing buffer": (dict(x=None), {}, ValueError, r"nothing is bound to `x`, \[\[buffer\(0\)\]\]"),
    "a missing number": (dict(n=None), {}, ValueError, r"nothing is bound to `n`"),
    "an array with gaps": (dict(x=X[::2]), {}, ValueError, "`x` is not contiguous; pass numpy.ascontiguousarray"),
    "an array without elements": (dict(x=X[:0]), {}, ValueError, "`x` has no elements"),
    "a name that is none": (dict(z=X), {}, ValueError, "no parameter 'z'; it has x .0., y .1., n .2."),
    "a number too large": (dict(n=1 << 32), {}, ValueError, "`n` is uint, which has no 4294967296"),
    "a number with a fraction": (dict(n=1.5), {}, TypeError, "`n` is uint, and 1.5 is no whole number"),
    "a number that is none": (dict(n="64"), {}, TypeError, "`n` is uint, not str"),
    "an object": (dict(x=object()), {}, TypeError, "`x` is no array that can be read|must be|float"),
    "no grid": ({}, dict(grid=0), ValueError, r"grid = \(0,\): each is a whole number from 1 on"),
    "a grid of four": ({}, dict(grid=(1, 1, 1, 1)), ValueError, "grid is one to three numbers, not 4"),
    "no threads": ({}, dict(threads=(32, 0)), ValueError, r"threads = \(32, 0\)"),
    "grids of something": ({}, dict(grid_in="tiles"), ValueError, 'grid_in is "threads" or "threadgroups"'),
    "too many threads": ({}, dict(grid=2048, threads=2048), assay.OverBudget, "1,024"),
}


@pytest.mark.parametrize("what", MISUSE)
def test_misuse_is_a_sentence(what):
    change, options, kind, words = MISUSE[what]
    arguments = {key: value for key, value in {"x": X, "n": 64, **change}.items() if value is not None}
    with pytest.raises(kind, match=words) as raised:
        launched("doubled", arguments, {"y": (64, "float")}, **options)
    if not isinstance(raised.value, assay.Fault):
        assert "\n" not in str(raised.value)
    launched("doubled", {"x": X, "n": 64}, {"y": (64, "float")})  # and nothing is left of it


def test_outputs_that_are_none():
    with pytest.raises(ValueError, match="`x` is no output: the kernel cannot write to device const float"):
        launched("doubled", {"n": 64, "y": X}, {"x": (64, "float")})
    with pytest.raises(TypeError, match=r"output `y` is \(shape, dtype\) or assay.Empty, not int"):
        launched("doubled", {"x": X, "n": 64}, {"y": 64})


def test_an_array_that_is_gone():
    with memoryview(bytearray(256)) as view:
        pass
    with pytest.raises((TypeError, ValueError), match="`x` is no array that can be read: .*released"):
        launched("doubled", {"x": view, "n": 64}, {"y": (64, "float")})


def test_threads_of_python_may_launch_at_once():
    wrong = []

    def work(factor):
        for _ in range(20):
            y = launched("doubled", {"x": X * factor, "n": 64}, {"y": (64, "float")})["y"]
            if not np.array_equal(y, 2 * X * factor):
                wrong.append(factor)

    threads = [threading.Thread(target=work, args=(one,)) for one in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_a_forked_process_and_one_whose_worker_died_start_another():
    from assay import _worker

    launched("doubled", {"x": X, "n": 64}, {"y": (64, "float")})
    child = os.fork()
    if child == 0:
        code = 1
        try:
            y = launched("doubled", {"x": X, "n": 64}, {"y": (64, "float")})["y"]
            code = 0 if np.array_equal(y, 2 * X) else 2
            _worker._close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    process = _worker.worker()._process
    process.kill()
    process.wait()
    np.testing.assert_array_equal(launched("doubled", {"x": X, "n": 64}, {"y": (64, "float")})["y"], 2 * X)


def test_more_kernels_than_are_kept(monkeypatch):
    from assay import _kernel

    monkeypatch.setattr(_kernel, "MOST_LOADED", 2)
    kernels = [assay.Kernel(TEXTS, "scaled", constants={"SCALE": one}) for one in range(4)]
    for factor, kernel in enumerate(kernels):
        y = np.ones(8, np.int32)
        assert set(kernel.run({"y": y}, grid=8, threads=8)["y"]) == {factor}


def test_a_program_that_is_not_there_is_one_line():
    script = "import assay\ntry: assay.Kernel('kernel void f() {}')\nexcept Exception as e: print(type(e).__name__, e)"
    environment = {**os.environ, "ASSAY_PROGRAM": "/no/such/program"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert "AssayError" in done.stdout and "/no/such/program" in done.stdout


def test_what_a_fault_says_is_json():
    with pytest.raises(assay.Race) as raised:
        launched("racing", {"x": X}, {"y": (64, "float")}, threads=64)
    assert json.loads(json.dumps(raised.value.data))["verdict"] == "race"


def test_an_interrupted_launch_leaves_no_answer_behind():
    text = """
    kernel void slow(device uint* x, constant uint& steps, uint i [[thread_position_in_grid]]) {
      uint s = x[i];
      for (uint n = 0; n < steps; ++n) s = s * 3 + n;
      x[i] = s;
    }"""
    kernel = assay.Kernel(text, mode="fast")
    x = np.ones(64, np.uint32)

    class Late(Exception):
        pass

    def late(*_):
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    try:
        kernel.run({"x": x, "steps": 0}, grid=64, threads=64)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Late):
            kernel.run({"x": x, "steps": 1 << 30}, grid=64, threads=64)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for value in (5, 7):
        assert kernel.run({"x": x * value, "steps": 0}, grid=64, threads=64)["x"][0] == value


KILLED = """
import assay, os, numpy as np, threading
text = "kernel void endless(device float* y, constant int& on) { while (on == 1) y[0] = 1; }"
kernel = assay.Kernel(text, None, mode="fast")
print(kernel.loaded().worker._process.pid, flush=True)
threading.Timer(1, lambda: os.kill(os.getpid(), 9)).start()
kernel.run({"y": np.zeros(1, np.float32), "on": 1}, grid=1, threads=1)
"""


def test_an_interpreter_that_is_killed_leaves_no_process_behind():
    ran = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, timeout=60)
    assert ran.returncode == -9
    for _ in range(100):
        if not Path(f"/proc/{ran.stdout.strip()}").exists():
            return
        time.sleep(0.1)
    pytest.fail("the worker is still there")


def test_no_place_of_a_report_is_in_the_cache():
    """Also that of a barrier which a sentence names."""
    text = """
    #include <metal_stdlib>
    using namespace metal;
    kernel void turn(device float* x, uint t [[thread_position_in_threadgroup]]) {
      threadgroup float s[64];
      s[t] = x[t];
      threadgroup_barrier(mem_flags::mem_none);
      x[t] = s[63 - t];
    }"""
    with pytest.raises(assay.Race) as caught:
        assay.run(text, None, {"x": np.ones(64, np.float32)}, grid=64, threads=64)
    assert "does not name" in caught.value.report and "/texts/" not in caught.value.report


def test_reports_quote_the_text_that_ran():
    """Two texts of the same name, neither of which stands in this file as it is."""
    text = "kernel void same(device float* y, uint i [[thread_position_in_grid]]) {\n  y[i] = %s;\n}\n"

    def launch(value, count):
        return assay.run(text % value, "same", {}, {"y": (count, "float")}, grid=4, threads=4)

    launch("1", 4)
    launch("2", 4)
    for value in ("1", "2", "1"):
        with pytest.raises(assay.OutOfBounds) as caught:
            launch(value, 2)
        assert f"y[i] = {value};" in caught.value.report
