"""`pytest --assay` on a project's own tests."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay

PROJECT = Path(__file__).parent / "projects"


def run(*options, files="test_model.py"):
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-p", "assay.pytest_plugin", files]
    done = subprocess.run([*command, *options], cwd=PROJECT, capture_output=True, text=True, env={**os.environ, "COLUMNS": "120"})
    return done.returncode, done.stdout


mlx = pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="MLX is not installed")


@mlx
def test_without_it_they_are_skipped():
    status, said = run()
    assert status == 0 and "5 skipped" in said


@mlx
def test_with_it_they_run_and_a_fault_fails_its_test_with_the_report(tmp_path):
    status, said = run("--assay", "--assay-report", str(tmp_path / "pages"))
    assert status == 1 and "3 failed, 2 passed" in said
    assert "assay: kernels of MLX and PyTorch run in Assay, checked mode" in said
    assert "test_model.py:15: out of bounds" in said
    assert "9 | out[i] = x[i + 1];" in said
    assert "Traceback" not in said
    assert f"assay: 2 tests failed with a fault; pages lie in {tmp_path / 'pages'}" in said
    pages = sorted((tmp_path / "pages").iterdir())
    assert "test_reads_too_far" in pages[0].name and "x[i + 1]" in pages[0].read_text()
    assert "test_model.py::test_fallback_hides_what_went_wrong: out of bounds, which was caught" in said


@mlx
def test_fast_mode_sees_results_alone():
    status, said = run("--assay", "--assay-mode", "fast")
    assert status == 1 and "1 failed, 4 passed" in said and "test_wrong_result" in said


def test_kernels_of_a_manifest_are_tests_in_each_mode():
    status, said = run("--assay", "-v", files="stated")
    assert status == 1 and "3 failed, 2 passed" in said
    assert "stated/kernels.toml::whole_rows[fast] PASSED" in said
    assert "stated/kernels.toml::whole_rows[checked] PASSED" in said
    assert "stated/kernels.toml::all_but_the_last[fast] FAILED" in said
    assert "all_but_the_last: WRONG RESULT" in said and "Traceback" not in said
    assert "operation: is missing" in said  # of the entry that cannot be used


def test_without_it_manifests_are_none():
    status, said = run(files="stated")
    assert status == 5 and "no tests ran" in said


def test_launches_are_captured_as_a_manifest(tmp_path):
    folder = tmp_path / "captured"
    status, said = run("--assay-capture", str(folder), files="captured")
    assert status == 0 and "5 passed" in said
    assert "assay: scaled_sums: 4 launches, dimensions N, x_0, 3 files of inputs" in said
    written = (folder / "kernels.toml").read_text()
    assert "# It never varied: x_0 = 96." in written and "# It never varied: N is a multiple of 8." in written
    assert sorted(one.name for one in (folder / "inputs").iterdir()) == [
        "scaled_sums-1.safetensors",
        "scaled_sums-2.safetensors",
        "scaled_sums-3.safetensors",
        "twice-1.safetensors",
    ]
    kernels = assay.load(folder / "kernels.toml")
    sums = kernels["scaled_sums"]
    assert sums.entry.kernel["arguments"] == ["x", "order", "y", "N", "=0.5:float"]
    assert sums.entry.kernel["threadgroup_memory"] == ["N * 4"]
    assert {one["name"]: one["shape"] for one in sums.entry.tensors} == {"x": ["x_0", "N"], "order": ["x_0"], "y": ["x_0"]}
    assert sums.entry.tensors[1]["values"] == {"below": "x_0"}
    assert sums.verify(cases=20) and kernels["twice"].verify(cases=20)
    assert sums.against(lambda x, order: x[order].sum(axis=1) * 0.5).verify(cases=20)
    with pytest.raises(assay.WrongResult):
        sums.against(lambda x: x.sum(axis=1) * 0.5).verify(cases=20)
