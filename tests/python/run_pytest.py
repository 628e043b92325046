"""Runs a file of tests by pytest: `run_pytest.py PROGRAM FILE`. Status 77 says that what it needs is not installed."""

import os
import sys
from pathlib import Path

program, file = sys.argv[1:]
package = Path(__file__).resolve().parents[2] / "python"
os.environ.update(ASSAY_PROGRAM=program, PYTHONPATH=str(package), PYTHONWARNINGS="error")
sys.path.insert(0, str(package))

import pytest  # noqa: E402

status = pytest.main(["-q", "-p", "no:cacheprovider", "-rs", "-o", "faulthandler_timeout=100", file])
sys.exit(77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status))
