"""A Slurm of one node: its daemons, from Debian's packages, with ports, keys and folders of its own, in the
foreground."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel")

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


def processes_with(word):
    """Processes that have this word in their environment: what a daemon, a job or a command has started keeps
    it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def end_processes_with(word):
    """Asks them to end, and after five seconds does not ask."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        end = time.monotonic() + 5
        while (found := processes_with(word)) and time.monotonic() < end:
            for process in found:
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    continue
            time.sleep(0.1)


def watch(word):
    """Starts a process that ends those with this word when this process has ended, however that was, or
    closes the descriptor that is returned."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(writing)
        os.setsid()
        if os.fork() == 0:  # nobody's child
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.read(reading, 1)
            end_processes_with(word)
        os._exit(0)
    os.wait()
    os.close(reading)
    return writing


class Slurm:
    """`with Slurm(place, cpus) as slurm:` starts the daemons; at the end no process of theirs is left."""

    def __init__(self, place, cpus):
        self.place, self.cpus = Path(place), cpus
        self.mark = f"SLURM_CONF={self.place / 'slurm.conf'}"
        self.daemons = []

    def __enter__(self):
        self.watched = watch(self.mark)
        for name in ("state", "spool"):
            (self.place / name).mkdir()
        key = self.place / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        controller, node = free_ports(2)
        words = {"host": socket.gethostname().partition(".")[0], "user": pwd.getpwuid(os.geteuid()).pw_name}
        text = CONFIGURATION.format(
            place=self.place, cpus=self.cpus, controller=controller, node=node, **words
        )
        (self.place / "slurm.conf").write_text(text)
        self.environment = {
            "SLURM_CONF": str(self.place / "slurm.conf"),
            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin",
        }
        files = {
            "socket": "munge.socket",
            "key-file": "munge.key",
            "pid-file": "munged.pid",
            "seed-file": "munge.seed",
            "log-file": "munged.log",
        }
        try:
            self.start(
                "munged",
                "--foreground",
                *(f"--{option}={self.place / name}" for option, name in files.items()),
            )
            self.wait_for(lambda: (self.place / "munge.socket").exists(), "munged opens its socket")
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D")
            self.wait_for(
                lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T"), "the node is idle"
            )
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, *command):
        """A daemon, in the foreground of nothing."""
        log = (self.place / f"{command[0]}.out").open("w")
        streams = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL}
        self.daemons.append(subprocess.Popen(command, **streams, env=os.environ | self.environment))

    def run(self, *command):
        """What a command of Slurm prints; empty where it fails."""
        done = subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, timeout=60
        )
        return done.stdout if done.returncode == 0 else ""

    def wait_for(self, holds, what, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            ended = [one.args[0] for one in self.daemons if one.poll() is not None]
            if ended or time.monotonic() > end:
                logs = "".join(
                    f"== {path.name}\n{path.read_text()[-2000:]}" for path in self.place.glob("*.out")
                )
                raise RuntimeError(f"waited for: {what}; ended: {ended or 'none'}\n{logs}")
            time.sleep(0.1)

    def __exit__(self, *_):
        end_processes_with(self.mark)
        for daemon in self.daemons:
            daemon.wait()
        os.close(self.watched)
