"""Runs a file of tests by pytest: `run_pytest.py PROGRAM FILE`. Status 77 says that what it needs is not installed."""

import os
import sys
from pathlib import Path

program, file = sys.argv[1:]
python = Path(__file__).resolve().parents[2] / "python"
packages = [str(python), str(python / "golden")]
os.environ.update(ASSAY_PROGRAM=program, PYTHONPATH=os.pathsep.join(packages), PYTHONWARNINGS="error")
sys.path[:0] = packages

import pytest  # noqa: E402

status = pytest.main(["-q", "-p", "no:cacheprovider", "-rs", "-o", "faulthandler_timeout=100", file])
sys.exit(77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status))
