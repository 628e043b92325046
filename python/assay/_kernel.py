"""A kernel, loaded once and launched as often as one likes."""

from __future__ import annotations

import collections
import collections.abc
import json
import os
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Union

from . import _arrays, _capture, _source
from ._arguments import Empty, Key, Parameter, Pointer, Sampler, Size, Texture, size_of
from ._binding import Launch, back
from ._memory import part_of
from ._worker import Worker, worker

__all__ = ["Empty", "Kernel", "Parameter", "Pointer", "Sampler", "Texture", "kernels_of"]

#: Processes that run kernels at a time; the kernel that was not launched for the longest time gives its own up.
MOST_LOADED = 32

#: Where launches are written down: `pytest --assay-capture`.
recorder: Optional[_capture.Recorder] = None


class Kernel:
    """A kernel of a Metal text, compiled and loaded.

    Args:
        source: the text, or the path of a `.metal` file.
        function: its name, or the host_name of an instantiation; None: the only one of the text.
        mode: "checked", in which every access is watched, or "fast".
        constants: function constants, by name or index.
        defines: definitions of the preprocessor.
        include_dirs: folders for #include.
        timeout: seconds of processor time that a launch may take, for each 2^20 threads that it has.

    Raises:
        MetalError, UnsupportedMetal: for a text that is no Metal, has no such function, or has what Assay has not.
        ValueError: for a constant that the text has not, or a value that its type has not.
    """

    def __init__(
        self,
        source: Union[str, os.PathLike],
        function: Optional[str] = None,
        *,
        mode: str = "checked",
        constants: Optional[Mapping[Any, Any]] = None,
        defines: Optional[Mapping[str, Any]] = None,
        include_dirs: Sequence[Union[str, os.PathLike]] = (),
        timeout: float = 60,
        _source_of: Optional[dict[str, Any]] = None,
    ) -> None:
        if mode not in ("checked", "fast"):
            raise ValueError(f'mode is "checked" or "fast", not {mode!r}')
        if function is not None and not isinstance(function, str):
            raise TypeError(f"a kernel's function is its name, not {type(function).__name__}")
        if not isinstance(timeout, (int, float)) or not 0 < timeout <= 1e6:
            raise ValueError(f"timeout is seconds above 0, up to a million, not {timeout!r}")
        self._request = {
            "do": "load",
            "source": _source_of
            or _source.of(
                source,
                function,
                constants=constants or {},
                defines=defines or {},
                include_dirs=include_dirs,
                within=_source.caller(),
            ),
            "checked": mode == "checked",
            "timeout": float(timeout),
        }
        self.mode = mode
        loaded = _loaded(self._request)
        self.function: str = loaded.answer["function"]
        self.parameters: tuple[Parameter, ...] = loaded.parameters

    def loaded(self) -> _Loaded:
        """In the process of now."""
        return _loaded(self._request)

    def __repr__(self) -> str:
        return f"<assay.Kernel {self.function}, {self.mode}>"

    def parameter(self, key: Key) -> Parameter:
        """The parameter of that name or buffer index. Raises ValueError that lists those that there are."""
        for one in self.parameters:
            if one.name == key or (one.kind in ("buffer", "value") and one.index == key):
                return one
        known = ", ".join(f"{one.name} ({one.index})" for one in self.parameters)
        raise ValueError(f"{self.function} has no parameter {key!r}; it has {known or 'none'}")

    def run(
        self,
        arguments: Mapping[Any, Any],
        outputs: Optional[Mapping[Any, Any]] = None,
        *,
        grid: Size,
        threads: Size,
        grid_in: str = "threads",
        threadgroup_memory: Optional[Mapping[Any, int]] = None,
        _recorded: bool = False,
    ) -> dict[str, Any]:
        """Launches it once.

        Args:
            arguments: by name or index: arrays (NumPy, MLX, PyTorch, anything with DLPack or a buffer), numbers and
                dictionaries of fields for values, `Texture`, `Sampler`, a dictionary of arrays and `Pointer` for an
                argument buffer. Arrays are as long as the kernel may reach.
            outputs: by name or index: (shape, dtype), or `Empty`: memory that nobody has written.
            grid: threads of the whole launch, one to three numbers; threadgroups with `grid_in="threadgroups"`.
            threads: of a threadgroup.
            threadgroup_memory: bytes of each [[threadgroup(i)]], by name or index.

        Returns:
            By name, what was written: the outputs, and all arguments that the kernel may write, as new arrays of
            the kind that the first array has. Arguments themselves stay as they are.

        Raises:
            Fault: of its kind (Race, OutOfBounds, ...), with the report.
            TypeError, ValueError: for arguments that do not fit the kernel, in a sentence.
        """
        for what, given in (("arguments", arguments), ("outputs", outputs or {}), ("threadgroup_memory", threadgroup_memory or {})):
            if not isinstance(given, collections.abc.Mapping):
                raise TypeError(f"{what} is a dictionary by name or index, not {type(given).__name__}")
        launch = Launch(self, arguments, outputs or {})
        sides, group, memory = size_of(grid, "grid"), size_of(threads, "threads"), threadgroup_memory or {}
        if recorder is not None and not _recorded:
            _capture.record(recorder, self, launch, sides, group, grid_in, memory)
        placed = launch.run(sides, group, grid_in, memory)
        make = _arrays.maker(launch.kind)
        return {one.name: make(back(one)) for one in placed}


def kernels_of(source: dict[str, Any]) -> list[str]:
    """The names of all kernels of a source, as `_source.of` makes it."""
    process = worker()
    return process.call({"do": "list", "source": _source.beside(source, process.folder)})["kernels"]


@dataclass
class _Loaded:
    worker: Worker
    answer: dict[str, Any]
    parameters: tuple[Parameter, ...] = field(default=())


_all_loaded: "collections.OrderedDict[str, _Loaded]" = collections.OrderedDict()


def _loaded(request: dict[str, Any]) -> _Loaded:
    """What is loaded for a request, in the process of now."""
    process = worker()
    request = {**request, "source": _source.beside(request["source"], process.folder)}
    key = json.dumps(request, sort_keys=True)
    with process.lock:
        known = _all_loaded.get(key)
        if known is not None and known.worker is process:
            _all_loaded.move_to_end(key)
            return known
        answer = process.call(request)
        made = _Loaded(process, answer, tuple(_parameter(one) for one in answer["parameters"]))
        _all_loaded[key] = made
        while len(_all_loaded) > MOST_LOADED:
            _, old = _all_loaded.popitem(last=False)
            if old.worker is process:
                process.call({"do": "drop", "kernel": old.answer["kernel"]})
        return made


def _parameter(one: dict[str, Any]) -> Parameter:
    return Parameter(**{**one, "memory": part_of(one["memory"])})

