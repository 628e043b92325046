"""ci/cluster/kubernetes_job.yaml without a cluster: its schema, what its fields must say of one another, and
its commands run as Kubernetes would run them for each index: `kubernetes_test.py PROGRAM`."""

import copy
import subprocess
import sys
import tempfile
from pathlib import Path

import kubernetes_validate
import yaml

import runs

OLDEST, NEWEST = "1.27.0", kubernetes_validate.latest_version()
INSTALLED = "/usr/local/share/assay/cluster/"


def containers(job):
    template = job["spec"]["template"]["spec"]
    return template.get("initContainers", []) + template["containers"]


def variables(container):
    return {one["name"]: one["value"] for one in container.get("env", [])}


def faults(jobs):
    """What is wrong with the manifest, a line each."""
    found = []
    for job in jobs:
        for version in (OLDEST, NEWEST):
            try:
                kubernetes_validate.validate(job, version, strict=True)
            except kubernetes_validate.ValidationError as fault:
                found.append(f"{version}: {fault.message}")
    if found:
        return found
    shards, merge = jobs
    if shards["spec"].get("completionMode") != "Indexed":
        found.append("shards: pods get no index")
    for container in containers(shards) + merge["spec"]["template"]["spec"]["initContainers"]:
        said = variables(container).get("ASSAY_SHARDS")
        if said != str(shards["spec"]["completions"]):
            found.append(
                f"{container['name']}: ASSAY_SHARDS is {said}, completions {shards['spec']['completions']}"
            )
    claims = []
    for job in jobs:
        volumes = {
            one["name"]: one["persistentVolumeClaim"]["claimName"]
            for one in job["spec"]["template"]["spec"]["volumes"]
        }
        claims += [
            (volumes.get(mount["name"]), mount["mountPath"])
            for one in containers(job)
            for mount in one["volumeMounts"]
        ]
    if len(set(claims)) != 1 or claims[0][0] is None:
        found.append(f"containers do not share one folder: {claims}")
    return found


def run(container, program, place, **more):
    """What a container runs, the image being this tree and the shared folder `place`."""
    words = [
        word.replace(INSTALLED, f"{runs.CLUSTER}/")
        for word in container["command"] + container.get("args", [])
    ]
    words = [word.replace("/results/run", str(place / "run")) for word in words]
    more |= {name: value for name, value in variables(container).items() if name != "ASSAY_CACHE_DIR"}
    return subprocess.run(
        words, cwd=place, env=runs.environment(program, **more), capture_output=True, text=True, timeout=300
    )


def check_commands(program, jobs, scratch, name):
    arguments, status = runs.COMMANDS[name]
    whole, shared = runs.place_of(scratch, f"{name}-whole"), runs.place_of(scratch, f"{name}-shared")
    runs.whole_run(program, whole, arguments, status)
    shards, merge = copy.deepcopy(jobs)
    [task], [wait, join] = containers(shards), containers(merge)
    task["args"] = ["/results/run", *arguments]
    for index in reversed(range(shards["spec"]["completions"])):
        # Another attempt at a share that was there takes its place.
        for _ in range(2 if index == 0 and name == "golden" else 1):
            done = run(task, program, shared, JOB_COMPLETION_INDEX=str(index))
            assert (
                done.returncode == 0
            ), f"index {index}: status {done.returncode}\n{done.stdout}{done.stderr}"
    assert run(wait, program, shared).returncode == 0
    done = run(join, program, shared)
    assert done.returncode == status, f"merge: status {done.returncode}\n{done.stdout}{done.stderr}"
    for report in (shared / "run").glob("report.*"):
        report.rename(shared / report.name)
    runs.expect_same(whole, shared)


def check_bad_input(program, jobs, scratch):
    """A share that wrote no report is no success, nor is a merge without one."""
    place = runs.place_of(scratch, "bad")
    [task], [_, join] = containers(jobs[0]), containers(jobs[1])
    task = task | {"args": ["/results/run", "golden", "make", "--operation", "nothing", "--out", "set"]}
    assert run(task, program, place, JOB_COMPLETION_INDEX="0").returncode == 2
    assert run(join, program, place).returncode == 2


def check_faults_are_seen(jobs):
    def damaged(change):
        other = copy.deepcopy(jobs)
        change(other)
        return faults(other)

    assert damaged(lambda all: all[0]["spec"].update(completion=4)), "a field that Kubernetes does not know"
    assert damaged(lambda all: all[0]["spec"].update(completions="4")), "a number that is text"
    assert damaged(lambda all: all[0]["spec"].update(completions=5)), "another number of shards"
    assert damaged(lambda all: all[0]["spec"].pop("completionMode")), "no indices"
    assert damaged(lambda all: containers(all[1])[0].pop("env")), "a wait for nothing"
    assert damaged(
        lambda all: containers(all[0])[0]["volumeMounts"][0].update(mountPath="/other")
    ), "two folders"


def main(program):
    jobs = list(yaml.safe_load_all((runs.CLUSTER / "kubernetes_job.yaml").read_text()))
    found = faults(jobs)
    assert not found, found
    check_faults_are_seen(jobs)
    with tempfile.TemporaryDirectory(prefix="assay-kubernetes-") as scratch:
        for name in runs.COMMANDS:
            check_commands(program, jobs, scratch, name)
        check_bad_input(program, jobs, scratch)
    print(
        f"valid for {OLDEST} and {NEWEST}; {len(runs.COMMANDS)} commands over all indices are what one run gives"
    )


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
