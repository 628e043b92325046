"""The process that compiles kernels and launches them: `assay serve`, started when it is first needed.

It is a program of its own, so nothing that this interpreter knows, expected results above all, is in the memory of a
process that runs a kernel. Bytes of arrays lie in a file without a name that both have open.
"""

from __future__ import annotations

import atexit
import json
import mmap
import os
import shutil
import subprocess
import sysconfig
import threading
from pathlib import Path
from typing import Any, Optional

from . import errors


def program() -> str:
    """The path of the `assay` program: $ASSAY_PROGRAM, the one that was installed with the package, or one in the PATH."""
    named = os.environ.get("ASSAY_PROGRAM")
    if named:
        return named
    installed = Path(sysconfig.get_path("scripts")) / "assay"
    beside = Path(__file__).parent / "bin" / "assay"
    for one in (beside, installed):
        if one.is_file():
            return str(one)
    found = shutil.which("assay")
    if found is None:
        raise errors.AssayError("the program `assay` is not installed beside this package; set ASSAY_PROGRAM to its path")
    return found


class Worker:
    """One process. Its methods may be called from any thread; requests are answered one after the other."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._memory_fd = os.memfd_create("assay")
        self._memory: Optional[mmap.mmap] = None
        self._size = 0
        self.folder = os.getcwd()  #: that it runs in: what relative paths are relative to
        path = program()
        try:
            self._process = subprocess.Popen(
                [path, "serve", "--memory", str(self._memory_fd)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[self._memory_fd],
                start_new_session=True,  # Ctrl-C is for this interpreter
            )
        except OSError as error:
            raise errors.AssayError(f"the program {path} cannot be started: {error.strerror}") from None
        self.pid = os.getpid()

    def room(self, size: int) -> mmap.mmap:
        """The shared memory, of at least `size` bytes."""
        if size > self._size or self._memory is None:
            self._size = max(size, 2 * self._size, 1 << 20)
            os.ftruncate(self._memory_fd, self._size)
            self._memory = mmap.mmap(self._memory_fd, self._size)
        return self._memory

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and gives its answer. Raises what an answer says is wrong."""
        with self._lock:
            try:
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
            except BrokenPipeError:
                line = b""
            except BaseException:  # Ctrl-C, a test's time limit: its answer is nobody's, the next is another worker's
                self._process.kill()
                self._process.wait()
                raise
            if not line:
                code = self._process.wait()
                raise errors.AssayError(f"the program `assay` ended with status {code}; what it said stands on standard error")
        answer = json.loads(line)
        if "error" not in answer:
            return answer
        kind, what = answer["kind"], answer["error"]
        if kind in ("metal", "unsupported"):
            made = errors.UnsupportedMetal if kind == "unsupported" else errors.MetalError
            raise made(what, answer["file"], answer["line"])
        raise ValueError(what) if kind == "value" else errors.AssayError(what)

    @property
    def lock(self) -> threading.RLock:
        return self._lock

    @property
    def alive(self) -> bool:
        return self.pid == os.getpid() and self._process.poll() is None

    def close(self) -> None:
        """Ends the process; in one that was forked from that which started it, gives up its ends of pipes alone."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        if self.pid == os.getpid():
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        else:
            self._process.returncode = 0  # another's to wait for
        self._process.stdout.close()
        os.close(self._memory_fd)


_worker: Optional[Worker] = None
_starting = threading.Lock()


def worker() -> Worker:
    """The worker of this process; another one after a fork, and where the last one has ended."""
    global _worker
    with _starting:
        if _worker is None or not _worker.alive:
            if _worker is not None:
                _worker.close()
            _worker = Worker()
        return _worker


@atexit.register
def _close() -> None:
    if _worker is not None:
        _worker.close()
