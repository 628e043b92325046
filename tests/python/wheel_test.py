"""A wheel of the package, as a user installs it: `wheel_test.py PROGRAM SOURCE`. The program is packed as it was built."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

RACE = """
import assay, numpy as np
text = '''
kernel void reversed(device float* y, uint i [[thread_position_in_threadgroup]]) {
  threadgroup float staged[64];
  staged[i] = i;
  y[i] = staged[63 - i];
}
'''
try:
    assay.run(text, "reversed", {}, {"y": (64, "float32")}, grid=64, threads=64)
except assay.Race as race:
    print(race.summary)
"""


def run(*command, **options):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def main(program, source):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("ASSAY_PROGRAM", "PYTHON"))}
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, f"--config-settings=cmake.define.ASSAY_BUILT={program}",
            f"--config-settings=build-dir={folder / 'build'}", source, env=environment)  # fmt: skip
        (wheel,) = folder.glob("assay-*.whl")
        assert "-py3-none-" in wheel.name, wheel.name
        venv.create(folder / "venv", with_pip=False)
        python = folder / "venv" / "bin" / "python"
        run(*pip, f"--python={python}", "install", "--no-deps", "--no-index", wheel, env=environment)
        site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")  # NumPy
        assert run(folder / "venv" / "bin" / "assay", "--version").strip()
        assert "marlin_gemm_fp4" in run(folder / "venv" / "bin" / "assay", "list", cwd=folder)
        said = run(python, "-c", RACE, cwd=folder, env=environment)
        assert said.startswith("reversed.metal:4: two simdgroups write and read `staged`"), said
        assert (site / "assay" / "py.typed").exists()


main(*sys.argv[1:])
