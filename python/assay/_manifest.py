"""Kernels of a manifest, and manifests of kernels that are stated in Python."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import tomli_w

from . import _program, _source
from ._fields import arguments_of, dimension, listed, tensor_of, three
from ._kernel import Kernel
from ._launch import Entry, Problem, entry_of, launch
from ._references import reference_text


class StatedKernel:
    """A kernel of a manifest: what `assay verify` and `assay mutate` do, as methods."""

    def __init__(self, manifest: Path, name: str, allowed: Sequence[Path] = ()) -> None:
        self.manifest = manifest
        self.name = name
        self._allowed = list(allowed)  # folders that the manifest may read besides its own

    def __repr__(self) -> str:
        return f"<kernel {self.name} of {self.manifest}>"

    def verify(self, *, check: bool = True, **options: Any) -> _program.Verified:
        """Runs it on generated cases in all modes. Raises the fault of its verdict unless `check` is False.

        Options are those of `assay verify`: cases=50, seed=2, mode="fast", at={"M": 1, "N": 33}, report="page", ...
        """
        found = _program.verified(self.manifest, self.name, self._with(options))
        return found.check() if check else found

    def against(self, reference: Callable[..., Any], fill: str = "") -> "StatedKernel":
        """The same kernel with a reference in Python, in place of what its manifest says is right, if anything."""
        entry = self.entry
        named = [*self._allowed, entry.folder.resolve()]
        kernel = {key: value for key, value in entry.kernel.items() if key not in ("dimensions", "tensors", "operation", "launches")}
        for key in ("source", "header"):
            if key in kernel:
                kernel[key] = str(entry.folder.resolve() / kernel[key])
        for key in ("include_dirs", "text_prefix"):
            if key in kernel:
                kernel[key] = [str(entry.folder.resolve() / one) for one in kernel[key]]
        operation = {**entry.operation, "dimensions": list(entry.dimensions), "tensors": list(entry.tensors)}
        return state(self.name, kernel, operation, None, reference, fill, named)

    @property
    def entry(self) -> Entry:
        """What the manifest says of it. Raises ValueError where its operation is one of the program's own."""
        return entry_of(self.manifest, self.name)

    def launch(self, problem: Problem, *, mode: str = "checked") -> dict[str, Any]:
        """Launches it once on arrays of one's own: `Problem(dims, arrays)`, or what `assay.strategies` draws.

        Returns the outputs by name, as `Kernel.run` does, and raises what it raises.
        """
        return launch(self.entry, problem, mode)

    def mutate(self, **options: Any) -> _program.Mutated:
        """Puts small faults into it, one at a time. Options are those of `assay mutate`: sample=20, seed=2, ..."""
        return _program.mutated(self.manifest, self.name, self._with(options))

    def _with(self, options: Mapping[str, Any]) -> dict[str, Any]:
        named = options.get("allow_dir", ())
        folders = [named] if isinstance(named, (str, os.PathLike)) else list(named)
        return {**options, "allow_dir": [*self._allowed, *folders]}


class Manifest(Mapping[str, StatedKernel]):
    """The kernels of a kernels.toml by name, in its order; those whose entries are faulty are told in a warning."""

    def __init__(self, path: Union[str, os.PathLike]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: no such file; give the path of a kernels.toml")
        names, self.faults = _program.listed(self.path)  #: a line for each entry that cannot be used
        if self.faults:
            warnings.warn(self.faults, stacklevel=3)
        self._kernels = {name: StatedKernel(self.path, name) for name in names}

    def __getitem__(self, name: str) -> StatedKernel:
        if name not in self._kernels:
            raise KeyError(f"{self.path} has no kernel {name!r}; it has {', '.join(self._kernels) or 'none'}")
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"<{self.path}: {', '.join(self._kernels) or 'no kernels'}>"


def stated(
    source: Union[str, os.PathLike],
    function: Optional[str] = None,
    reference: Optional[Union[Callable[..., Any], str, os.PathLike]] = None,
    *,
    dimensions: Any,
    tensors: Mapping[str, Any],
    threads: Union[int, Sequence[int]],
    grid: Any,
    grid_in: str = "threads",
    arguments: Optional[Sequence[Any]] = None,
    fill: str = "",
    operation: Optional[Mapping[str, Any]] = None,
    entry: Optional[Mapping[str, Any]] = None,
) -> StatedKernel:
    """A kernel with what it computes, to be verified and mutated.

    Args:
        source, function: as `Kernel` has them.
        reference: takes inputs and dimensions by their names and gives the outputs, in the order of `tensors` or by
            name. It is called once, with arrays and sizes that are names, and computes with NumPy's operators and
            functions and those of `assay.reference`; from these the set of right answers is derived. Or the path of
            a reference in C++. None: results are not judged, all else is.
        dimensions: names, or tables of the fields of a manifest: {"M": {"largest": 64}, "N": None}, "M N".
        tensors: by name "half[M, N]", "float[M]:out", "uint[T]:below=N", or tables of the fields of a manifest.
        threads: of a threadgroup.
        grid: one to three numbers or expressions over dimensions, of threads; of threadgroups with
            `grid_in="threadgroups"`. Or "tiles", "rows", "elements".
        arguments: what each buffer index is given (docs/manifest.md, "Arguments"); None: the tensors and dimensions of
            the parameters' names.
        fill: `void fill(Draw& draw)` in C++, where not all bytes of an input mean something (docs/own_operation.md,
            "Layouts").
        operation, entry: further fields of an operation and of a kernel's entry in a manifest: {"math": "precise"},
            {"requires": {"N_max": 4096}}.

    Raises:
        ValueError, TypeError: for what does not fit together, in a sentence.
        MetalError, UnsupportedMetal: for a text that is no Metal, or has what Assay has not.
    """
    entry = _table("entry", entry)
    operation = _table("operation", operation)
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors is a dictionary by name, not {type(tensors).__name__}")
    if reference is not None and not callable(reference) and not isinstance(reference, (str, os.PathLike)):
        raise TypeError(f"a reference is a function or the path of one in C++, not {type(reference).__name__}")
    kernel = Kernel(source, function, defines=entry.get("defines"), include_dirs=entry.get("include_dirs", ()))
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", kernel.function)
    dims = [dimension(one) for one in listed(dimensions)]
    known = {one["name"]: one for one in dims}
    specs = [tensor_of(tensor, spec) for tensor, spec in tensors.items()]
    if not any(one.get("access", "in") != "in" for one in specs):
        raise ValueError("no tensor is an output; write one as 'float[M]:out'")
    for one in specs:
        if one["name"] in known:
            raise ValueError(f"{one['name']} is the name of a dimension and of a tensor")
    content = {"dimensions": dims, "tensors": specs, **operation}
    folders: list[Path] = []
    if grid_in not in ("threads", "threadgroups"):
        raise ValueError(f'grid_in is "threads" or "threadgroups", not {grid_in!r}')
    grid_of = grid if isinstance(grid, str) and grid in ("tiles", "rows", "elements") else three(grid)
    made: dict[str, Any] = {
        "function": kernel.function,
        "arguments": list(arguments) if arguments is not None else arguments_of(kernel, known, specs),
        "threads_per_threadgroup": threads if isinstance(threads, int) else list(threads),
        "grid": grid_of,
        **entry,
    }
    if not isinstance(grid_of, str):
        made["grid_unit"] = grid_in
    if _source.is_file(source):
        path = Path(source).resolve()
        made["source"], metal = str(path), None  # it stays where it is, for others may lie beside it
        folders.append(path.parent)
    else:
        made["source"], metal = f"{name}.metal", str(source)
    return state(name, made, content, metal, reference, fill, folders)


def _table(what: str, given: Any) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{what} is a dictionary of fields, not {type(given).__name__}")
    return given or {}


def state(
    name: str,
    kernel: Mapping[str, Any],
    operation: Mapping[str, Any],
    metal: Optional[str],
    reference: Any,
    fill: str = "",
    folders: Sequence[Path] = (),
    header: str = "",
) -> StatedKernel:
    """Of a kernel's entry without its operation, the operation without its reference, and the reference."""
    if reference is None:
        tables: dict[str, Any] = {"kernel": [{"name": name, **kernel, **operation}]}
        return StatedKernel(_written(tables, name, metal, None, header), name, folders)
    stated_as, text, allowed = {"name": name, **operation}, None, list(folders)
    if callable(reference):
        text = (fill + "\n" if fill else "") + reference_text(reference, operation["dimensions"], operation["tensors"])
        stated_as["reference"] = f"{name}.reference.cpp"
    else:
        path = Path(reference).resolve()
        stated_as["reference"] = str(path)
        allowed.append(path.parent)
    tables = {"operation": [stated_as], "kernel": [{"name": name, **kernel, "operation": name}]}
    return StatedKernel(_written(tables, name, metal, text, header), name, allowed)


def _written(tables: dict[str, Any], name: str, metal: Optional[str], reference: Optional[str], header: str) -> Path:
    """The manifest's path. It lies in the cache, with its texts, in a folder named after what is in it."""
    cache = Path(_program.output("cache").splitlines()[0]) / "python"
    key = hashlib.sha256()
    for part in (tomli_w.dumps(tables), metal or "", reference or "", header):
        key.update(part.encode() + b"\0")
    home = cache / key.hexdigest()[:24]
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if metal is not None:
        _replace(home / f"{name}.metal", metal)
    if reference is not None:
        _replace(home / f"{name}.reference.cpp", reference)
    if header:
        _replace(home / f"{name}.header.metal", header)
    manifest = home / "kernels.toml"
    _replace(manifest, tomli_w.dumps(tables))
    return manifest


def _replace(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
