"""Runs of assay that a cluster test divides among tasks, and what they come to when nothing is divided."""

import os
import re
import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CLUSTER = SOURCE / "ci" / "cluster"

KERNEL = """[[kernel]]
name = "{}"
source = "kernels.metal"
operation = "dequantize_fp4"
arguments = ["B", "scales", "W", "N", "K", "group_size"]
threads_per_threadgroup = [32, 4, 1]
grid = "elements"
arithmetic = {{ dequantize = "half" }}
"""

# Of each command: its arguments and the status that it ends with. Two of three kernels are wrong.
COMMANDS = {
    "verify": (["verify", "--manifest", "kernels.toml", "--cases", "40", "--numerics", "strict"], 1),
    "golden": (
        ["golden", "make", "--operation", "rans_gemv", "--seed", "5", "--cases", "7", "--out", "set"],
        0,
    ),
}


def place_of(parent, name):
    """A folder to run in, with a manifest: paths in reports are relative to it."""
    place = Path(parent) / name
    place.mkdir(parents=True)
    shutil.copy(SOURCE / "tests" / "library" / "kernels.metal", place)
    (place / "kernels.toml").write_text(
        "\n".join(KERNEL.format(one) for one in ("right", "without_signs", "outside"))
    )
    return place


def environment(program, **more):
    """This one's without what says which share a process is."""
    words = ("SLURM_", "SBATCH_", "GTEST_", "JOB_COMPLETION_INDEX", "ASSAY_SHARDS")
    return (
        {name: value for name, value in os.environ.items() if not name.startswith(words)}
        | {"ASSAY": program}
        | more
    )


def whole_run(program, place, arguments, status):
    """The run without shares, its reports where merge.sh leaves them."""
    outputs = ["--json", "report.json"] + (["--junit", "report.xml"] if arguments[0] == "verify" else [])
    done = subprocess.run(
        [program, *arguments, *outputs], cwd=place, env=environment(program), capture_output=True, text=True
    )
    assert done.returncode == status, f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}"


def results(place):
    """What a run has left, by name: reports but for what took how long, and the files of a set."""
    found = {f"set/{path.name}": path.read_bytes() for path in (place / "set").glob("*")}
    for name in ("report.json", "report.xml"):
        if (place / name).exists():
            text = (place / name).read_text()
            text = re.sub(r'("(?:core_)?seconds": )[-0-9.e+]+', r"\1", text)
            found[name] = re.sub(r'(time(?:stamp)?=")[^"]*', r"\1", text).encode()
    return found


def expect_same(whole, shared):
    """The same files with the same bytes, and some."""
    left, right = results(whole), results(shared)
    assert left and left.keys() == right.keys(), f"{sorted(left)} are not {sorted(right)}"
    for name in left:
        assert left[name] == right[name], f"{name} differs in {whole} and {shared}"
