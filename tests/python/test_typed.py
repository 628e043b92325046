"""What the package says of its types holds for those who call it: mypy reads a file of theirs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

HERE = Path(__file__).parent


def test_a_file_that_calls_everything_has_no_errors(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path)]
    package = str(HERE.parent.parent / "python")
    ran = subprocess.run(
        [*command, str(HERE / "typed" / "user.py")], env={**os.environ, "MYPYPATH": package}, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
