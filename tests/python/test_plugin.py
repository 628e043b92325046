"""`pytest --assay` on a project's own tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mlx.core")

PROJECT = Path(__file__).parent / "projects"


def run(*options):
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-p", "assay.pytest_plugin", "test_model.py"]
    done = subprocess.run([*command, *options], cwd=PROJECT, capture_output=True, text=True, env={**os.environ, "COLUMNS": "120"})
    return done.returncode, done.stdout


def test_without_it_they_are_skipped():
    status, said = run()
    assert status == 0 and "3 skipped" in said


def test_with_it_they_run_and_a_fault_fails_its_test_with_the_report(tmp_path):
    status, said = run("--assay", "--assay-report", str(tmp_path / "pages"))
    assert status == 1 and "2 failed, 1 passed" in said
    assert "assay: kernels of MLX and PyTorch run in Assay, checked mode" in said
    assert "test_model.py:15: out of bounds" in said
    assert "9 | out[i] = x[i + 1];" in said
    assert "Traceback" not in said
    assert f"assay: 1 test failed with a fault; pages lie in {tmp_path / 'pages'}" in said
    (page,) = (tmp_path / "pages").iterdir()
    assert "test_reads_too_far" in page.name and "x[i + 1]" in page.read_text()


def test_fast_mode_sees_results_alone():
    status, said = run("--assay", "--assay-mode", "fast")
    assert status == 1 and "1 failed, 2 passed" in said and "test_wrong_result" in said
