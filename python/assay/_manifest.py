"""Kernels of a manifest, and manifests of kernels that are stated in Python."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import tomli_w

from . import _expressions as ex
from . import _program, _sizes, _source
from ._kernel import Kernel
from ._launch import Entry, Problem, entry_of, launch
from ._numbers import Array, as_array
from ._reference_text import Writer
from ._sizes import Extent, Size, same

#: Multiples by which dimensions differ in the problems that sizes are compared by: of each magnitude, for one size may
#: be 1 until another is past a tile.
_MULTIPLES = (1, 2, 3, 5, 7, 11, 17, 29, 53, 97, 263, 521, 1031, 2053, 4099, 8209, 16411)
_PROBLEMS = 7
_WHOLE_TYPES = {"char", "uchar", "short", "ushort", "int", "uint", "bool"}


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
        return _stated(self.name, kernel, operation, None, reference, fill, named)

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
    function: Optional[str],
    *,
    dimensions: Any,
    tensors: Mapping[str, Any],
    reference: Any,
    fill: str,
    threads: Any,
    grid: Any,
    grid_in: str,
    arguments: Optional[Sequence[Any]],
    operation: Mapping[str, Any],
    entry: Mapping[str, Any],
) -> StatedKernel:
    """Writes the manifest of a kernel that is stated in Python, into the cache, and gives the kernel."""
    kernel = Kernel(source, function, defines=entry.get("defines"), include_dirs=entry.get("include_dirs", ()))
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", kernel.function)
    dims = [_dimension(one) for one in _listed(dimensions)]
    known = {one["name"]: one for one in dims}
    specs = [_tensor(tensor, spec) for tensor, spec in tensors.items()]
    for one in specs:
        if one["name"] in known:
            raise ValueError(f"{one['name']} is the name of a dimension and of a tensor")
    content = {"dimensions": dims, "tensors": specs, **operation}
    folders: list[Path] = []
    if grid_in not in ("threads", "threadgroups"):
        raise ValueError(f'grid_in is "threads" or "threadgroups", not {grid_in!r}')
    grid_of = grid if isinstance(grid, str) and grid in ("tiles", "rows", "elements") else _three(grid)
    made: dict[str, Any] = {
        "function": kernel.function,
        "arguments": list(arguments) if arguments is not None else _arguments(kernel, known, specs),
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
    return _stated(name, made, content, metal, reference, fill, folders)


def _stated(
    name: str,
    kernel: Mapping[str, Any],
    operation: Mapping[str, Any],
    metal: Optional[str],
    reference: Any,
    fill: str,
    folders: Sequence[Path],
) -> StatedKernel:
    """Of a kernel's entry without its operation, the operation without its reference, and the reference."""
    if reference is None:
        tables: dict[str, Any] = {"kernel": [{"name": name, **kernel, **operation}]}
        return StatedKernel(_written(tables, name, metal, None), name, folders)
    stated_as, text, allowed = {"name": name, **operation}, None, list(folders)
    if callable(reference):
        text = (fill + "\n" if fill else "") + reference_text(reference, operation["dimensions"], operation["tensors"])
        stated_as["reference"] = f"{name}.reference.cpp"
    else:
        path = Path(reference).resolve()
        stated_as["reference"] = str(path)
        allowed.append(path.parent)
    tables = {"operation": [stated_as], "kernel": [{"name": name, **kernel, "operation": name}]}
    return StatedKernel(_written(tables, name, metal, text), name, allowed)


def _written(tables: dict[str, Any], name: str, metal: Optional[str], reference: Optional[str]) -> Path:
    """The manifest's path. It lies in the cache, with its texts, in a folder named after what is in it."""
    cache = Path(_program.output("cache").splitlines()[0]) / "python"
    key = hashlib.sha256()
    for part in (tomli_w.dumps(tables), metal or "", reference or ""):
        key.update(part.encode() + b"\0")
    home = cache / key.hexdigest()[:24]
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if metal is not None:
        _replace(home / f"{name}.metal", metal)
    if reference is not None:
        _replace(home / f"{name}.reference.cpp", reference)
    manifest = home / "kernels.toml"
    _replace(manifest, tomli_w.dumps(tables))
    return manifest


def _replace(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def reference_text(reference: Callable[..., Any], dims: Sequence[Mapping[str, Any]], specs: Sequence[Mapping[str, Any]]) -> str:
    """The reference in C++. It is called once, with names in place of sizes."""
    token = _sizes.problems.set(_problems(dims))
    try:
        sizes = {one["name"]: _sizes.simplified(_size_of(one["name"])) for one in dims}
        given: dict[str, Any] = dict(sizes)
        shapes = {}
        for one in specs:
            shapes[one["name"]] = shape = tuple(extent_of(extent, sizes) for extent in one["shape"])
            if one.get("access", "in") != "out":
                given[one["name"]] = _input(one, shape)
        wanted = [one["name"] for one in specs if one.get("access", "in") != "in"]
        outputs = _outputs(reference(**_passed(reference, given)), wanted)
        for name, array in outputs:
            if array.ndim != len(shapes[name]) or not all(same(a, b) for a, b in zip(array.shape, shapes[name])):
                raise ValueError(f"the reference gives {name} the shape {list(array.shape)}, and it has {list(shapes[name])}")
        names = [*sizes, *shapes]
        return Writer(names).text([(name, Array(shapes[name], array.kind, array.element)) for name, array in outputs])
    finally:
        _sizes.problems.reset(token)


def _passed(reference: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(reference).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return dict(given)
    for one in parameters:
        if one.name not in given and one.default is one.empty:
            raise ValueError(f"the reference takes {one.name}, which is no dimension and no input; there are {', '.join(given)}")
    return {one.name: given[one.name] for one in parameters if one.name in given}


def _outputs(found: Any, wanted: Sequence[str]) -> list[tuple[str, Array]]:
    if isinstance(found, Mapping):
        if sorted(found) != sorted(wanted):
            raise ValueError(f"the reference gives {', '.join(map(str, found))}; the outputs are {', '.join(wanted)}")
        return [(name, as_array(found[name])) for name in wanted]
    parts = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(parts) != len(wanted):
        raise ValueError(f"the reference gives {len(parts)} arrays; the outputs are {', '.join(wanted)}")
    return [(name, as_array(one)) for name, one in zip(wanted, parts)]


def _input(spec: Mapping[str, Any], shape: tuple[Extent, ...]) -> Array:
    name = spec["name"] + (".given" if spec.get("access") == "inout" else "")
    kind = ex.WHOLE if spec["type"] in _WHOLE_TYPES else ex.NUMBER
    return Array(shape, kind, lambda indices: ex.Expression("load", kind, indices, name))


def _size_of(name: str) -> Size:
    return Size(name, lambda problem: problem[name])


@dataclass(frozen=True)
class _Exact:
    """A fraction of sizes, as expressions of a manifest have it: 6 / 4 * 2 is 3."""

    number: Extent
    of: Extent = 1

    def __add__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.of + other.number * self.of, self.of * other.of)

    def __sub__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.of - other.number * self.of, self.of * other.of)

    def __mul__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.number, self.of * other.of)

    def __truediv__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.of, self.of * other.number)

    def __mod__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.whole() % other.whole())

    def __neg__(self) -> "_Exact":
        return _Exact(0 - self.number, self.of)

    def whole(self) -> Extent:
        return self.number // self.of

    def ceil(self) -> "_Exact":
        return _Exact((self.number + self.of - 1) // self.of)

    def floor(self) -> "_Exact":
        return _Exact(self.whole())


def extent_of(text: Any, sizes: Mapping[str, Extent]) -> Extent:
    """An expression of the manifest over dimensions: a number, "N", "K/32", "ceil(N/4)", "kv_heads * group"."""
    if isinstance(text, int):
        return text
    allowed = re.fullmatch(r"[A-Za-z0-9_+\-*/(), ]+", text)
    names = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)) - {"ceil", "floor"}
    if not allowed or not names <= set(sizes):
        raise ValueError(f"the extent {text!r} is no expression over {', '.join(sizes)}")
    known = {name: _Exact(size) for name, size in sizes.items()}
    known |= {"ceil": _Exact.ceil, "floor": _Exact.floor, "Exact": _Exact}
    exact = re.sub(r"(?<![A-Za-z0-9_])(\d+)", r"Exact(\1)", text)
    try:
        found = eval(exact, {"__builtins__": {}}, known).whole()  # names, numbers and operators alone
    except (SyntaxError, TypeError, AttributeError):
        raise ValueError(f"the extent {text!r} is no expression over {', '.join(sizes)}") from None
    return _sizes.simplified(found) if isinstance(found, Size) else found


def _problems(dims: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    found = []
    for number in range(_PROBLEMS):
        problem = {}
        for i, one in enumerate(dims):
            step = _MULTIPLES[(7 * i + 5 * number) % len(_MULTIPLES)]
            values, multiple = one.get("values"), one.get("multiple", 1)
            least = one.get("least", multiple)
            problem[one["name"]] = values[number % len(values)] if values else -(-least // multiple) * multiple + multiple * (step - 1)
        found.append(problem)
    return found


def _listed(dimensions: Any) -> list[Any]:
    if isinstance(dimensions, Mapping):
        return [{"name": name, **({} if spec is None else spec)} for name, spec in dimensions.items()]
    return dimensions.split() if isinstance(dimensions, str) else list(dimensions)


def _dimension(one: Any) -> dict[str, Any]:
    return {"name": one} if isinstance(one, str) else dict(one)


_SHORT = re.compile(r"\s*([a-z]+)\s*\[(.*)\]\s*((?::[^:]+)*)\s*")


def _tensor(name: str, spec: Any) -> dict[str, Any]:
    """As a manifest has it: a table of its fields, or in short "half[M, N]", "float[M]:out", "uint[T]:below=N"."""
    if isinstance(spec, Mapping):
        return {"name": name, **spec}
    found = _SHORT.fullmatch(spec) if isinstance(spec, str) else None
    if found is None:
        raise ValueError(f"{name} is 'type[extents]', such as 'half[M, N]' or 'float[M]:out', not {spec!r}")
    kind, extents, words = found.groups()
    made: dict[str, Any] = {"name": name, "type": kind, "shape": []}
    for extent in filter(None, (one.strip() for one in _split(extents))):
        made["shape"].append(int(extent) if extent.isdigit() else extent)
    for word in filter(None, (one.strip() for one in words.split(":"))):
        if word in ("in", "out", "inout"):
            made["access"] = word
        else:
            made["values"] = _values(word)
    return made


def _split(extents: str) -> list[str]:
    parts, depth = [""], 0
    for letter in extents:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _values(word: str) -> Any:
    if word.startswith("below="):
        return {"below": word[6:]}
    if ".." in word:
        low, high = word.split("..", 1)
        return {"from": float(low), "to": float(high)}
    if "|" in word:
        return {"one_of": [float(one) if "." in one else int(one) for one in word.split("|")]}
    try:
        return float(word)
    except ValueError:
        return word


def _three(grid: Any) -> list[Any]:
    sides = list(grid) if isinstance(grid, (list, tuple)) else [grid]
    return sides + [1] * (3 - len(sides))


def _arguments(kernel: Kernel, dims: Mapping[str, Any], specs: Sequence[Mapping[str, Any]]) -> list[Any]:
    """One for each buffer index, by the names of the kernel's parameters."""
    known = {one["name"] for one in specs}
    found: list[Any] = []
    for one in sorted((one for one in kernel.parameters if one.kind in ("buffer", "value")), key=lambda one: one.index):
        found += ["-"] * (one.index - len(found))
        if one.name in known:
            found.append(one.name)
        elif one.name in dims:
            found.append(one.name if one.element in ("uint", "") else f"{one.name}:{one.element}")
        else:
            there = ", ".join([*known, *dims])
            raise ValueError(f"{kernel.function} takes {one.name}, which is none of {there}; say by `arguments` what each index is given")
    return found
