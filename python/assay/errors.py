"""What Assay raises: one class for each kind of fault, so that a test can say which one it expects."""

from __future__ import annotations

import collections
import html
from typing import Any


class AssayError(RuntimeError):
    """Assay itself could not do what it was asked: it is not installed, or has no room."""


class MetalError(SyntaxError):
    """A text is no Metal, or has no such kernel. `file` and `line` say where, 0 where nobody knows."""

    def __init__(self, what: str, file: str = "", line: int = 0) -> None:
        super().__init__(what)
        self.file = file
        self.line = line


class UnsupportedMetal(MetalError):
    """A text is Metal, and uses something that Assay does not have."""


class Fault(Exception):
    """A launch went wrong. The message is the whole report; a test that lets it pass fails with it.

    Attributes:
        verdict: what is wrong in a word, as `assay verify` prints it: "race", "out of bounds", ...
        summary: the same in a line, with the place.
        report: all of it as text: accesses, source lines, barriers that are missing.
        data: the same as dictionaries and lists (docs/machine_readable.md, "A failure").
    """

    verdict = "fault"

    def __init__(self, report: str, summary: str = "", data: Any = None) -> None:
        super().__init__(report)
        self.report = report
        self.summary = summary
        self.data = data

    def html(self) -> str:
        """The report as a piece of HTML, as notebooks show it."""
        first, _, rest = self.report.partition("\n")
        return (
            '<div style="font-family:monospace;white-space:pre;overflow-x:auto;border-left:4px solid #c62828;padding-left:1em">'
            f'<b style="color:#c62828">{html.escape(first)}</b>\n{html.escape(rest)}</div>'
        )

    def _repr_html_(self) -> str:
        return self.html()


#: Faults of launches that a framework's own way to call has raised: a test run asks for those that were caught.
raised: "collections.deque[Fault]" = collections.deque(maxlen=16)


class Race(Fault):
    """Two accesses to the same bytes, one of them a write, that nothing orders."""

    verdict = "race"


class OutOfBounds(Fault):
    """An address outside of everything that the kernel may touch."""

    verdict = "out of bounds"


class Misaligned(Fault):
    """An address that is no multiple of what the type at it asks for."""

    verdict = "misaligned"


class UninitialisedRead(Fault):
    """A read of bytes that nobody wrote."""

    verdict = "uninitialised read"


class UndefinedOperation(Fault):
    """An operation whose result Metal leaves undefined."""

    verdict = "undefined operation"


class DivergentBarrier(Fault):
    """A barrier that not all threads reach."""

    verdict = "divergent barrier"


class Deadlock(Fault):
    """Threads that wait for one another for ever."""

    verdict = "deadlock"


class NeedsResidency(Fault):
    """Threads that wait for a threadgroup which need not run until theirs has ended."""

    verdict = "needs residency"


class OverBudget(Fault):
    """More threadgroup memory or threads than the device has."""

    verdict = "over budget"


class WrongResult(Fault):
    """A result that no right kernel has: `data` says which elements, and how far they are off."""

    verdict = "wrong result"


class LawBroken(Fault):
    """Two launches whose results belong together, as of a scaled input, do not go together."""

    verdict = "law broken"


class ClaimDiffers(Fault):
    """A figure that the manifest states is not what was counted."""

    verdict = "claim differs"


class NotJudged(Fault):
    """No verdict: `verdict` is "vacuous", "unsupported" or "error", and the report says why."""

    verdict = "not judged"


class Timeout(Fault):
    """A launch that does not end."""

    verdict = "timeout"


class Crash(Fault):
    """A launch that stopped its process."""

    verdict = "crash"


_OF_VERDICT = {one.verdict: one for one in Fault.__subclasses__()}


def fault_of(answer: dict[str, Any]) -> Fault:
    """The exception for what a launch was answered with."""
    unjudged = answer["verdict"] in ("vacuous", "unsupported", "error")
    made = NotJudged if unjudged else _OF_VERDICT.get(answer["verdict"], Fault)
    fault = made(answer["text"], answer["summary"], answer["failure"])
    fault.verdict = answer["verdict"]
    return fault
