"""`torch.mps.compile_shader` without a Mac: a library whose functions launch kernels on CPU tensors, in place.

`install()` puts it in the place of PyTorch's, and makes "mps" another name of the CPU; `pytest --assay` does so for a
test run.
"""

from __future__ import annotations

import functools
import math
import struct
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _arrays, _capture, _kernel, _source, errors
from ._arguments import size_of
from ._binding import Launch
from ._kernel import Kernel, kernels_of

#: The mode of libraries that do not name one: "checked" or "fast".
default_mode = "checked"

_WIDTH = 32  #: lanes of a simdgroup
_MOST_THREADS = 1024  #: of a threadgroup
_CASTS = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "int8": "int8", "int16": "int16", "int32": "int32",
          "int64": "int64", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64"}  # fmt: skip


class Function:
    """A kernel of a library. Called, it launches: `lib.add(x, y, out, 128, threads=(128,), group_size=(32,))`.

    Args:
        arguments: by buffer index: tensors, which the kernel may change where it does not declare them const; numbers
            and tensors of one, as 64-bit integers and 32-bit floats; lists of numbers; lists of tensors, as argument
            buffers of pointers to them.
        threads: of the whole grid; by default one for each element of the first tensor.
        group_size: threads of a threadgroup; by default as many as there are, up to 1,024.
        arg_casts: what numbers are passed as: "fp16", or a dictionary from an argument's place to such a word.
        error_buf_idx: the buffer index of the kernel's `c10::metal::ErrorMessages`, which no argument is for. What the
            kernel reports there `torch.mps.synchronize` raises.
    """

    max_threads_per_threadgroup = _MOST_THREADS
    thread_execution_width = _WIDTH

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.__name__ = kernel.function

    def __repr__(self) -> str:
        return f"<assay kernel {self.__name__}>"

    def __call__(
        self,
        *arguments: Any,
        threads: Union[int, Sequence[int], None] = None,
        group_size: Union[int, Sequence[int], None] = None,
        arg_casts: Union[str, dict[int, str], None] = None,
        error_buf_idx: Optional[int] = None,
    ) -> None:
        kernel = self._kernel
        tensors = [one for one in arguments if _arrays.kind_of(one) == "torch"]
        if threads is None:
            if not tensors:
                raise RuntimeError(f"{kernel.function}: threads must be given where no argument is a tensor")
            threads = tensors[0].numel()
        grid = size_of(threads, "threads")
        group = size_of(min(grid[0], _MOST_THREADS) if group_size is None else group_size, "group_size")
        if math.prod(group) > _MOST_THREADS:
            raise ValueError(f"{kernel.function}: group_size is {math.prod(group)} threads; a threadgroup has {_MOST_THREADS}")
        launch = Launch(kernel, {}, {})
        known = {one.index: one for one in kernel.parameters if one.kind in ("buffer", "value")}
        reported = None
        if error_buf_idx is not None:
            reported = np.zeros(_ERRORS.itemsize, np.uint8)
            launch.place(error_buf_idx, "change", reported, "errors", True).given = reported
        for at, value in enumerate(arguments):
            index = at if error_buf_idx is None or at < error_buf_idx else at + 1
            parameter = known.get(index)
            if parameter is None:
                continue  # PyTorch binds what the kernel has no use for, too
            kind = _arrays.kind_of(value)
            if kind == "torch" and not (value.dim() == 0 and _is_double(value)):
                writes = parameter.kind == "buffer" and parameter.writable
                memory = _memory_of(value, parameter.name)
                launch.place(index, "change" if writes else "read", memory, parameter.name, writes).given = memory
            elif isinstance(value, (list, tuple)) and value and all(_arrays.kind_of(one) == "torch" for one in value):
                memories = [_memory_of(one, f"{parameter.name}[{i}]") for i, one in enumerate(value)]
                launch.pointer_table(parameter, memories)
                for one, memory in zip(launch.buffers[-len(memories) :], memories):
                    one.given = memory
            else:
                cast = arg_casts.get(at) if isinstance(arg_casts, dict) else arg_casts
                one = value.item() if kind == "torch" else value
                launch.values.append((index, _bytes_of(one, cast, parameter.name)))
        group = [min(a, b) for a, b in zip(group, grid)]
        if _kernel.recorder is not None:
            shapes = {i: tuple(one.shape) for i, one in enumerate(arguments) if _arrays.kind_of(one) == "torch"}
            _capture.record(_kernel.recorder, kernel, launch, grid, group, "threads", {}, shapes)
        try:
            written = launch.run(grid, group, "threads", {})
        except errors.Fault as fault:
            errors.raised.append(fault)
            raise
        for one in written:
            one.given.reshape(-1).view(np.uint8)[:] = one.bytes
        if reported is not None:
            _note_errors(reported)


class NoSuchKernel(AttributeError, RuntimeError):
    """A library has no kernel of that name: what Python raises, and what PyTorch does."""


class Library:
    """The kernels of a text, as attributes."""

    def __init__(self, source: str, mode: Optional[str], within: Optional[str]) -> None:
        self._source = source
        self._mode = mode or default_mode
        self._within = within
        self._functions: dict[str, Function] = {}
        request = self._request(None)
        self._names = kernels_of(request)
        if self._names:
            getattr(self, self._names[0])
        else:  # it must compile all the same
            request["function"] = "no_kernel_of_this_text"
            request["text"] = {**request["text"], "text": f"{source}\nkernel void no_kernel_of_this_text() {{}}\n"}
            Kernel(source, None, mode="fast", _source_of=request)

    def _request(self, function: Optional[str]) -> dict[str, Any]:
        folders = _headers() if "c10/metal/" in self._source else []
        return _source.of(self._source, function, include_dirs=folders, within=self._within)

    def __dir__(self) -> list[str]:
        return self._names

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__") or name not in self._names:
            raise NoSuchKernel(f"the text has no kernel {name}; it has {', '.join(self._names) or 'none'}")
        if name not in self._functions:
            kernel = Kernel(self._source, name, mode=self._mode, _source_of=self._request(name))
            self._functions[name] = Function(kernel)
        return self._functions[name]


def compile_shader(source: str, *, mode: Optional[str] = None) -> Library:
    """As `torch.mps.compile_shader`: a library of the kernels of a text. `mode` is "checked" or "fast".

    Headers that PyTorch has for kernels (`c10/metal/...`) are there. Raises `MetalError`, a SyntaxError, where the text is
    no Metal.
    """
    return Library(source, mode, _source.caller())


def _memory_of(tensor: Any, name: str) -> np.ndarray:
    """The memory from a tensor's first element to its last, as the kernel sees it: strides are the kernel's to know."""
    if tensor.device.type != "cpu":
        raise TypeError(f"`{name}` lies on {tensor.device}; Assay runs on the CPU")
    if tensor.numel() == 0:
        raise ValueError(f"`{name}` has no elements; Metal has no buffers of that size")
    extent = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) + 1
    flat = tensor.detach().as_strided((extent,), (1,))
    if str(flat.dtype) == "torch.bfloat16":  # bytes are all that matters, and NumPy has no such type
        flat = flat.view(flat.new_empty(0).short().dtype)
    return _arrays.to_numpy(flat, name)


def _bytes_of(value: Any, cast: Optional[str], name: str) -> bytes:
    numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    if not numbers or not all(isinstance(one, (bool, int, float, np.number)) for one in numbers):
        raise TypeError(f"`{name}` is given {type(value).__name__}; a kernel takes tensors, numbers and lists of numbers")
    if cast is not None:
        if cast not in _CASTS:
            raise ValueError(f"arg_casts has no {cast!r}; it has {', '.join(_CASTS)}")
        return np.asarray(numbers).astype(_arrays.dtype_of(_CASTS[cast])).tobytes()
    whole = all(isinstance(one, (bool, int, np.integer)) for one in numbers)
    return struct.pack(f"<{len(numbers)}{'q' if whole else 'f'}", *numbers)


#: `c10::metal::ErrorMessages` of PyTorch's headers.
_ERRORS = np.dtype(
    [("count", "<u4"), ("message", [("file", "S128"), ("function", "S128"), ("text", "S250"), ("pad", "V2"), ("line", "<u4")], 30)]
)
_pending: list[str] = []  #: what kernels have reported since


def _note_errors(reported: np.ndarray) -> None:
    noted = reported.view(_ERRORS)[0]
    for one in noted["message"][: int(noted["count"])]:
        file, function, text = (one[field].decode(errors="replace") for field in ("file", "function", "text"))
        _pending.append(f"{file}:{int(one['line'])}: {function}: {text}")


def synchronize() -> None:
    """As `torch.mps.synchronize`: raises what kernels have reported in their error buffers."""
    import torch

    said = list(_pending)
    _pending.clear()
    if said:
        raise getattr(torch, "AcceleratorError", RuntimeError)("\n".join(said))


def _is_double(tensor: Any) -> bool:
    """Metal has no doubles: PyTorch passes such numbers as floats."""
    return str(tensor.dtype) == "torch.float64"


def _headers() -> list[Path]:
    """The folder of the headers that PyTorch has for kernels."""
    import torch

    folder = Path(torch.__file__).parent / "include"
    return [folder] if (folder / "c10/metal").is_dir() else []


def available() -> bool:
    """Whether PyTorch is installed, and has Metal of its own."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.backends.mps.is_available())


def _on_cpu(device: Any) -> Any:
    import torch

    if isinstance(device, str) and device.split(":")[0] == "mps":
        return "cpu"
    if isinstance(device, torch.device) and device.type == "mps":
        return torch.device("cpu")
    return device


def _always(value: Any) -> Callable[[], Any]:
    """A function of that value, cached as PyTorch's own are: its compiler asks for what is cached."""
    return functools.lru_cache(maxsize=None)(lambda: value)


def install() -> Callable[[], None]:
    """Puts `compile_shader` in PyTorch's place, and makes "mps" a name of the CPU.

    Returns:
        A function that undoes it.
    """
    import torch
    import torch.mps.profiler
    from torch.overrides import TorchFunctionMode

    class MpsIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = {key: _on_cpu(value) for key, value in (kwargs or {}).items()}
            return function(*[_on_cpu(one) for one in args], **named)

    changes = [
        (torch.mps, "compile_shader", compile_shader),
        (torch.mps, "synchronize", synchronize),
        (torch.mps, "empty_cache", _always(None)),
        (torch.mps, "device_count", _always(1)),
        (torch.mps.profiler, "is_metal_capture_enabled", _always(False)),
        (torch.mps.profiler, "is_capturing_metal", _always(False)),
        (torch.backends.mps, "is_available", _always(True)),
        (torch.backends.mps, "is_built", _always(True)),
        (torch.backends.mps, "get_name", _always("Assay")),
        (torch.backends.mps, "get_core_count", _always(1)),
    ]
    before = [(where, key, getattr(where, key)) for where, key, _ in changes]
    for where, key, value in changes:
        setattr(where, key, value)
    mode = MpsIsTheCpu()
    mode.__enter__()

    def undo() -> None:
        mode.__exit__(None, None, None)
        for where, key, value in before:
            setattr(where, key, value)

    return undo
