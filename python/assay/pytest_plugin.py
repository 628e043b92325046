"""`pytest --assay`: kernels of MLX and PyTorch run in Assay where there is no Metal, and a fault fails its test.

Each kernel of a kernels.toml is a test in each mode, too.

    pytest --assay                       every launch is checked
    pytest --assay --assay-mode fast     as fast as it goes; only what lies around buffers is watched
    pytest --assay --assay-report DIR    and a page for each fault
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest

from . import _capture, _imports, _kernel, _program, errors
from ._manifest import StatedKernel
from .errors import Fault

_PLUGIN = "assay-kernels"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "Metal kernels without a Mac")
    group.addoption("--assay", action="store_true", help="run kernels of MLX and PyTorch in Assay where there is no Metal")
    group.addoption(
        "--assay-mode",
        choices=("checked", "fast"),
        default="checked",
        help="how launches are watched: every access (checked, the default), or only what lies around buffers",
    )
    group.addoption(
        "--assay-report", metavar="DIR", type=Path, default=None, help="write a page for each fault into this folder"
    )
    group.addoption(
        "--assay-capture",
        metavar="DIR",
        type=Path,
        default=None,
        help="write a manifest of all kernels that are launched into this folder, with some of their inputs; means --assay",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--assay-capture") is not None:
        config.option.assay = True
    config.addinivalue_line("markers", "assay_faults: the test may catch faults of launches, as `pytest --assay` sees them")
    if config.getoption("--assay"):
        config.pluginmanager.register(Kernels(config), _PLUGIN)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
    if file_path.name == "kernels.toml" and parent.config.getoption("--assay"):
        return ManifestFile.from_parent(parent, path=file_path)
    return None


class ManifestFile(pytest.File):
    """A kernels.toml: a test for each kernel and mode, and one that its entries can be used."""

    def collect(self) -> Iterator[pytest.Item]:
        names, faults = _program.listed(self.path)
        if faults:
            yield FaultyEntries.from_parent(self, name="entries", faults=faults)
        for name in names:
            for mode in ("fast", "checked"):
                yield KernelItem.from_parent(self, name=f"{name}[{mode}]", kernel=StatedKernel(self.path, name), mode=mode)


class FaultyEntries(pytest.Item):
    def __init__(self, *, faults: str, **named: Any) -> None:
        super().__init__(**named)
        self.faults = faults

    def runtest(self) -> None:
        pytest.fail(self.faults, pytrace=False)

    def reportinfo(self) -> tuple[Path, Optional[int], str]:
        return self.path, None, self.name


class KernelItem(pytest.Item):
    """One kernel of a manifest in one mode: `assay verify` with its defaults."""

    def __init__(self, *, kernel: StatedKernel, mode: str, **named: Any) -> None:
        super().__init__(**named)
        self.kernel = kernel
        self.mode = mode

    def runtest(self) -> None:
        self.kernel.verify(mode=self.mode)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Fault):
            return excinfo.value.report
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, Optional[int], str]:
        return self.path, None, self.name


class Kernels:
    """What is in place while tests are collected and run."""

    def __init__(self, config: pytest.Config) -> None:
        self.mode: str = config.getoption("--assay-mode")
        self.folder: Optional[Path] = config.getoption("--assay-report")
        self.undo: list[Callable[[], None]] = []
        self.faults = 0
        self.captured: Optional[Path] = config.getoption("--assay-capture")
        if self.captured is not None:
            _kernel.recorder = _capture.Recorder()
        # Tests are skipped as they are imported, so frameworks must answer before that.
        _imports.when_imported("mlx.core", self._install_mlx)
        _imports.when_imported("torch", self._install_torch)

    def _install_mlx(self) -> None:
        from . import mlx

        mlx.default_mode = self.mode
        if not mlx.available():
            self.undo.append(mlx.install())

    def _install_torch(self) -> None:
        from . import torch

        torch.default_mode = self.mode
        if not torch.available():
            self.undo.append(torch.install())

    def pytest_report_header(self) -> str:
        return f"assay: kernels of MLX and PyTorch run in Assay, {self.mode} mode"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
        outcome = yield
        report = outcome.get_result()
        fault = call.excinfo.value if call.excinfo is not None else None
        caught = list(errors.raised)
        errors.raised.clear()
        if caught and report.when == "call" and report.passed and item.get_closest_marker("assay_faults") is None:
            self._fail_for(caught[0], report, item)
            return
        if not isinstance(fault, Fault) or not report.failed:
            return
        self.faults += 1
        if not isinstance(item, KernelItem):
            where = _place_in_tests(call.excinfo, item)
            report.longrepr = f"{where}: {fault.verdict}\n\n{fault.report}"
        report.sections.append(("assay", fault.summary))
        if self.folder is not None:
            self._write(item.nodeid, fault)

    def _fail_for(self, fault: Fault, report: pytest.TestReport, item: pytest.Item) -> None:
        """A launch went wrong, and something caught that: what a project does where Metal fails, say."""
        self.faults += 1
        report.outcome = "failed"
        report.longrepr = (
            f"{item.nodeid}: {fault.verdict}, which was caught: the test went on without the launch\n"
            f"(@pytest.mark.assay_faults lets it)\n\n{fault.report}"
        )
        report.sections.append(("assay", fault.summary))
        if self.folder is not None:
            self._write(item.nodeid, fault)

    def _write(self, test: str, fault: Fault) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", test)[-120:]
        page = f"<!doctype html>\n<meta charset=utf-8>\n<title>{html.escape(test)}</title>\n<h1>{html.escape(test)}</h1>\n"
        (self.folder / f"{name}.html").write_text(page + fault.html() + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.captured is not None:
            for line in _kernel.recorder.write(self.captured):
                terminalreporter.write_line(f"assay: {line}")
            terminalreporter.write_line(f"assay: assay verify --manifest {self.captured / 'kernels.toml'}")
        if self.faults == 0:
            return
        pages = "" if self.folder is None else f"; pages lie in {self.folder}"
        terminalreporter.write_line(f"assay: {self.faults} test{'s' * (self.faults != 1)} failed with a fault{pages}")

    def pytest_unconfigure(self) -> None:
        _kernel.recorder = None
        for undo in reversed(self.undo):
            undo()


def _place_in_tests(info: Any, item: pytest.Item) -> str:
    """The line of the test that launched the kernel."""
    place = item.nodeid
    for entry in info.traceback:
        if Path(entry.path) == item.path:
            place = f"{item.nodeid.split('::')[0]}:{entry.lineno + 1}"
    return place
