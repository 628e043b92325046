"""ci/cluster/slurm_array.sh on a real Slurm: what tasks of an array make and report, merged, is what one run
makes.

`slurm_test.py PROGRAM`. Status 77 says that Slurm is not installed.
"""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import runs
import slurm

SKIPPED = 77
TASKS = 3


def submit(program, cluster, place, arguments, *options):
    command = [runs.CLUSTER / "slurm_array.sh", str(TASKS), "run", *options, "--", *arguments]
    return subprocess.run(
        command,
        cwd=place,
        env=runs.environment(program, **cluster.environment),
        capture_output=True,
        text=True,
        timeout=500,
    )


def logs(place):
    return "".join(
        f"== {path.name}\n{path.read_text()}" for path in sorted((place / "run" / "logs").glob("*"))
    )


def check(program, cluster, scratch, name):
    arguments, status = runs.COMMANDS[name]
    whole, shared = runs.place_of(scratch, f"{name}-whole"), runs.place_of(scratch, f"{name}-shared")
    runs.whole_run(program, whole, arguments, status)
    done = submit(program, cluster, shared, arguments, "--wait")
    assert (
        done.returncode == status
    ), f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}{logs(shared)}"
    for report in (shared / "run").glob("report.*"):
        report.rename(shared / report.name)
    for task in range(1, TASKS + 1):
        said = (shared / "run" / "logs" / f"{task}.txt").read_text()
        assert f"shard {task}/{TASKS}, as SLURM_ARRAY_TASK_ID says" in said, said
    runs.expect_same(whole, shared)
    again = submit(program, cluster, shared, arguments)
    assert again.returncode == 2 and "is there already" in again.stderr, again.stderr


def check_missing(program, cluster, scratch):
    """A task that comes to no report is told by the merge."""
    place = runs.place_of(scratch, "missing")
    failing = place / "assay"
    failing.write_text(f'#!/bin/sh\n[ "$SLURM_ARRAY_TASK_ID" = 2 ] && exit 3\nexec "{program}" "$@"\n')
    failing.chmod(0o755)
    done = submit(str(failing), cluster, place, runs.COMMANDS["golden"][0], "--wait")
    assert done.returncode == 2 and "shard 2" in logs(place), f"status {done.returncode}\n{logs(place)}"


def main(program):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without ending the daemons
    absent = slurm.missing()
    if absent:
        print(f"skipped: {', '.join(absent)} not installed; ci/packages-test.txt has Debian's packages")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="assay-slurm-") as scratch:
        Path(scratch).chmod(0o755)  # munge wants its socket within everybody's reach
        (Path(scratch) / "slurm").mkdir()
        with slurm.Slurm(Path(scratch) / "slurm", cpus=2) as cluster:
            for name in runs.COMMANDS:
                check(program, cluster, scratch, name)
            check_missing(program, cluster, scratch)
        assert not slurm.processes_with(cluster.mark), "processes are left"
    print(f"{len(runs.COMMANDS)} commands over {TASKS} tasks: merged, they are what one run gives")
    return 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).resolve())))
