"""`torch.mps.compile_shader` without a Mac: a library whose functions launch kernels on CPU tensors, in place.

`install()` puts it in the place of PyTorch's, and makes "mps" another name of the CPU; `pytest --assay` does so for a
test run.
"""

from __future__ import annotations

import struct
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
        arguments: by buffer index: tensors, which the kernel may change where it does not declare them const; numbers,
            as 64-bit integers and 32-bit floats; lists of numbers.
        threads: of the whole grid; by default one for each element of the first tensor.
        group_size: threads of a threadgroup; by default as many as there are, up to 1,024.
        arg_casts: what numbers are passed as: "fp16", or a dictionary from an argument's place to such a word.
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
    ) -> None:
        kernel = self._kernel
        tensors = [one for one in arguments if _arrays.kind_of(one) == "torch"]
        if threads is None:
            if not tensors:
                raise ValueError(f"{kernel.function}: threads must be given where no argument is a tensor")
            threads = tensors[0].numel()
        grid = size_of(threads, "threads")
        group = size_of(min(grid[0], _MOST_THREADS) if group_size is None else group_size, "group_size")
        launch = Launch(kernel, {}, {})
        known = {one.index: one for one in kernel.parameters if one.kind in ("buffer", "value")}
        for index, value in enumerate(arguments):
            parameter = known.get(index)
            if parameter is None:
                continue  # PyTorch binds what the kernel has no use for, too
            if _arrays.kind_of(value) == "torch":
                writes = parameter.kind == "buffer" and parameter.writable
                memory = _memory_of(value, parameter.name)
                launch.place(index, "change" if writes else "read", memory, parameter.name, writes).given = memory
            else:
                cast = arg_casts.get(index) if isinstance(arg_casts, dict) else arg_casts
                launch.values.append((index, _bytes_of(value, cast, parameter.name)))
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


class Library:
    """The kernels of a text, as attributes."""

    def __init__(self, source: str, mode: Optional[str], within: Optional[str]) -> None:
        self._source = source
        self._mode = mode or default_mode
        self._within = within
        self._functions: dict[str, Function] = {}
        self._names = kernels_of(_source.of(source, None, within=within))

    def __dir__(self) -> list[str]:
        return self._names

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__") or name not in self._names:
            raise AttributeError(f"the text has no kernel {name}; it has {', '.join(self._names) or 'none'}")
        if name not in self._functions:
            request = _source.of(self._source, name, within=self._within)
            self._functions[name] = Function(Kernel(self._source, name, mode=self._mode, _source_of=request))
        return self._functions[name]


def compile_shader(source: str, *, mode: Optional[str] = None) -> Library:
    """As `torch.mps.compile_shader`: a library of the kernels of a text. `mode` is "checked" or "fast".

    Raises `MetalError` where the text is no Metal: at once, or when a function that does not compile is first asked for.
    """
    return Library(source, mode, _source.caller())


def _memory_of(tensor: Any, name: str) -> np.ndarray:
    """The memory from a tensor's first element to its last, as the kernel sees it: strides are the kernel's to know."""
    if tensor.device.type != "cpu":
        raise TypeError(f"`{name}` lies on {tensor.device}; Assay runs on the CPU")
    if tensor.numel() == 0:
        raise ValueError(f"`{name}` has no elements; Metal has no buffers of that size")
    extent = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) + 1
    return _arrays.to_numpy(tensor.detach().as_strided((extent,), (1,)), name)


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


def install() -> Callable[[], None]:
    """Puts `compile_shader` in PyTorch's place, and makes "mps" a name of the CPU.

    Returns:
        A function that undoes it.
    """
    import torch
    from torch.overrides import TorchFunctionMode

    class MpsIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = {key: _on_cpu(value) for key, value in (kwargs or {}).items()}
            return function(*[_on_cpu(one) for one in args], **named)

    changes = [
        (torch.mps, "compile_shader", compile_shader),
        (torch.mps, "synchronize", lambda: None),
        (torch.mps, "empty_cache", lambda: None),
        (torch.mps, "device_count", lambda: 1),
        (torch.backends.mps, "is_available", lambda: True),
        (torch.backends.mps, "is_built", lambda: True),
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
