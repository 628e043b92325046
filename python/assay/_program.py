"""Commands of the `assay` program and their results, as objects."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from . import errors
from ._worker import program


@dataclass(frozen=True)
class Mode:
    """What a kernel was found to be in one mode (docs/machine_readable.md, "JSON")."""

    mode: str  #: "fast", "checked", "contracted", "reassociated", "approximate", ...
    verdict: str  #: "pass", "wrong result", "race", ...
    summary: str  #: a line; "" for a pass
    text: str  #: the whole report; "" for a pass
    replay: str  #: the argument of `assay replay`; "" where there is no case
    cases: int
    seconds: float
    coverage: Mapping[str, int]  #: what cases reached, and how many of them
    data: Mapping[str, Any]  #: all that the report holds, `failure` above all


@dataclass(frozen=True)
class Verified:
    """What is known of a kernel after a run. It is true where the kernel passes."""

    name: str
    verdict: str
    modes: tuple[Mode, ...]
    text: str  #: what the program printed

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def __repr__(self) -> str:
        return self.text

    @property
    def cases(self) -> int:
        return sum(one.cases for one in self.modes)

    @property
    def replay(self) -> str:
        """The argument of `assay replay` of the mode that decided; "" for a pass."""
        return next((one.replay for one in self.modes if one.verdict == self.verdict and one.replay), "")

    def check(self) -> "Verified":
        """Itself where the kernel passes; else raises the fault of its verdict, or NotJudged."""
        if self:
            return self
        told = next((one for one in self.modes if one.verdict == self.verdict), None)
        raise errors.fault_of(
            {
                "verdict": self.verdict,
                "text": (told and told.text) or self.text,
                "summary": told.summary if told else "",
                "failure": told.data.get("failure") if told else None,
            }
        )


@dataclass(frozen=True)
class Mutated:
    """What became of a kernel's mutants (docs/mutation.md)."""

    name: str
    totals: Mapping[str, Any]
    mutants: Sequence[Mapping[str, Any]]  #: kind, file, line, before, after, status, ...
    text: str

    @property
    def survivors(self) -> list[Mapping[str, Any]]:
        return [one for one in self.mutants if one["status"] == "survived"]

    def __repr__(self) -> str:
        return self.text


def arguments(options: Mapping[str, Any]) -> list[str]:
    """Options of the program by their names: cases=50 is --cases 50, at={"M": 1} is --at M=1, quiet=True is --quiet."""
    made: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            made.append(option)
        elif isinstance(value, Mapping):
            made += [option, ",".join(f"{key}={one}" for key, one in value.items())]
        elif isinstance(value, (list, tuple)):
            for one in value:
                made += [option, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
        else:
            made += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return made


def output(*command: str) -> str:
    """Standard output of a command that has to end well."""
    ran = _run(command)
    if ran.returncode != 0:
        raise _told(ran)
    return ran.stdout


def listed(manifest: Path) -> tuple[list[str], str]:
    """The names of kernels that can be used, and what is wrong with the entries of others."""
    ran = _run(["list", "--names", "--manifest", str(manifest)])
    return ran.stdout.split(), ran.stderr.strip() if ran.returncode != 0 else ""


def verified(manifest: Path, name: str, options: Mapping[str, Any]) -> Verified:
    report, ran = _with_report(["verify", "--manifest", str(manifest), name, *arguments(options)])
    kernel = report["kernels"][0] if report and report["kernels"] else None
    if kernel is None:
        raise _told(ran)
    modes = tuple(
        Mode(
            one["mode"],
            one["verdict"],
            one["summary"],
            one["text"],
            one["replay"],
            one["cases"],
            one["seconds"],
            one.get("coverage") or {},
            one,
        )
        for one in kernel["modes"]
    )
    return Verified(kernel["name"], kernel["verdict"], modes, ran.stdout)


def mutated(manifest: Path, name: str, options: Mapping[str, Any]) -> Mutated:
    report, ran = _with_report(["mutate", "--manifest", str(manifest), name, *arguments(options)])
    kernel = report["kernels"][0] if report and report["kernels"] else None
    if kernel is None or kernel.get("error"):
        raise _told(ran) if kernel is None else errors.AssayError(kernel["error"])
    return Mutated(kernel["name"], kernel["totals"], kernel["mutants"], ran.stdout)


def _with_report(command: list[str]) -> tuple[Optional[dict[str, Any]], "subprocess.CompletedProcess[str]"]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        file = Path(folder) / "report.json"
        ran = _run([*command, "--json", str(file)])
        return (json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None), ran


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([program(), *command], capture_output=True, text=True, check=False)


def _told(ran: "subprocess.CompletedProcess[str]") -> Exception:
    said = (ran.stderr or ran.stdout).strip() or f"the program `assay` ended with status {ran.returncode}"
    return ValueError(said) if ran.returncode in (1, 2) else errors.AssayError(said)
