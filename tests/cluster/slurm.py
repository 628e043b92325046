"""A Slurm of one node: its daemons, from Debian's packages, with ports, keys and folders of its own, in the foreground."""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

# No cgroups and no database: what a container has is enough.
CONFIGURATION = """\
ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Programs of Slurm and munge that are not installed."""
    paths = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=paths) is None]


def free_ports(count):
    """Ports that nobody listens on, and that nobody else is given meanwhile."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def descendants():
    """Processes below this one."""
    children = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [os.getpid()]
    for one in found:
        found += children.get(one, [])
    return found[1:]


class Slurm:
    """`with Slurm(place, cpus) as slurm:` starts the daemons; at the end no process of theirs is left."""

    def __init__(self, place, cpus):
        self.place, self.cpus = Path(place), cpus
        self.libc = ctypes.CDLL(None)
        self.daemons = []

    def __enter__(self):
        # Steps of jobs detach themselves; they become children of this process, which then can end them.
        self.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for name in ("state", "spool"):
            (self.place / name).mkdir()
        key = self.place / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        controller, node = free_ports(2)
        words = {"host": socket.gethostname().partition(".")[0], "user": pwd.getpwuid(os.geteuid()).pw_name}
        text = CONFIGURATION.format(place=self.place, cpus=self.cpus, controller=controller, node=node, **words)
        (self.place / "slurm.conf").write_text(text)
        self.environment = {"SLURM_CONF": str(self.place / "slurm.conf"), "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
        files = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munged.pid", "seed-file": "munge.seed",
                 "log-file": "munged.log"}
        try:
            self.start("munged", "--foreground", *(f"--{option}={self.place / name}" for option, name in files.items()))
            self.wait_for(lambda: (self.place / "munge.socket").exists(), "munged opens its socket")
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D")
            self.wait_for(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T"), "the node is idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, *command):
        """A daemon that ends with this process, however that ends."""
        log = (self.place / f"{command[0]}.out").open("w")
        ends_too = lambda: self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        self.daemons.append(
            subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | self.environment, preexec_fn=ends_too)
        )

    def run(self, *command):
        """What a command of Slurm prints; empty where it fails."""
        done = subprocess.run(command, env=os.environ | self.environment, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    def wait_for(self, holds, what, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            ended = [one.args[0] for one in self.daemons if one.poll() is not None]
            if ended or time.monotonic() > end:
                logs = "".join(f"== {path.name}\n{path.read_text()[-2000:]}" for path in self.place.glob("*.out"))
                raise RuntimeError(f"waited for: {what}; ended: {ended or 'none'}\n{logs}")
            time.sleep(0.1)

    def __exit__(self, *_):
        for number in (signal.SIGTERM, signal.SIGKILL):
            end = time.monotonic() + 5
            for process in descendants():
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
            while descendants() and time.monotonic() < end:
                try:
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        pass
                except ChildProcessError:
                    break
                time.sleep(0.05)
