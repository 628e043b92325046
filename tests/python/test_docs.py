"""The Python files of docs/python.md and of the README, as their readers run them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    name: text
    for page in ("docs/python.md", "docs/golden.md", "README.md")
    for name, text in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
}


def test_there_are_some():
    assert {"test_reverse.py", "test_scale.py", "test_full.py"} <= set(FILES)


@pytest.mark.parametrize("name", [one for one in FILES if one.startswith("test_")])
def test_a_file_of_a_page(name, tmp_path):
    for framework in ("torch", "mlx"):
        if re.search(rf"^import {framework}|importorskip\(\"{framework}", FILES[name], re.MULTILINE):
            pytest.importorskip("mlx.core" if framework == "mlx" else framework)
    (tmp_path / name).write_text(FILES[name])
    (tmp_path / "golden").symlink_to(ROOT / "golden")
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "page, name, script",
    [
        ("docs/python.md", "test_reverse.py", "import test_reverse as t\nt.reverse(t.REVERSE.replace('BARRIER', ''))"),
        ("README.md", "race.py", "import race"),
    ],
)
def test_the_report_that_a_page_shows(page, name, script, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    shown = re.search(r"```\n(reverse: race\n.*?)```", (ROOT / page).read_text(), re.DOTALL)[1]
    assert shown.strip() in done.stdout + done.stderr
