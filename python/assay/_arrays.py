"""Arrays of the caller's kind as NumPy arrays, and back. NumPy, MLX and PyTorch are known; others by DLPack or the
buffer protocol."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np

# Metal's names of scalars, as kernels declare them.
DTYPES = {
    "half": "float16",
    "bfloat": "bfloat16",
    "float": "float32",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "uchar": "uint8",
    "ushort": "uint16",
    "uint": "uint32",
    "ulong": "uint64",
    "bool": "bool",
}


def bfloat16() -> Any:
    """NumPy's dtype of bfloat16, which `ml_dtypes` adds."""
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError("NumPy has no bfloat16 by itself; install ml_dtypes") from None
    return np.dtype(ml_dtypes.bfloat16)


def dtype_of(named: Any) -> np.dtype:
    """A dtype by NumPy's, MLX's or PyTorch's object, or by name: "float16", "half", "bfloat16"."""
    if named is None:
        raise TypeError("an output's dtype is none; name one, such as float32")
    name = named if isinstance(named, str) else None
    if name is None:
        for kind in ("mlx.core", "torch"):
            if type(named).__module__.startswith(kind):
                name = str(named).rsplit(".", 1)[-1]
    name = DTYPES.get(name, name) if name is not None else None
    if name == "bfloat16":
        return bfloat16()
    try:
        return np.dtype("bool" if name == "bool_" else named if name is None else name)
    except TypeError:
        raise TypeError(f"{named!r} is no dtype; name one of NumPy's or Metal's, such as {', '.join(list(DTYPES)[:4])}") from None


def kind_of(array: Any) -> str:
    """ "numpy", "mlx" or "torch"."""
    module = type(array).__module__
    if module.startswith("mlx.core") and hasattr(array, "dtype"):
        return "mlx"
    if module.startswith("torch") and hasattr(array, "dtype"):
        return "torch"
    return "numpy"


def to_numpy(array: Any, name: str) -> np.ndarray:
    """The elements as NumPy has them, without a copy where that can be. `name` is for messages."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"`{name}` is a masked array; pass {name}.filled(...)")
    if isinstance(array, np.ndarray):
        return array
    kind = kind_of(array)
    try:
        if kind == "mlx":
            return _from_mlx(array)
        if kind == "torch":
            return _from_torch(array)
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array)
        if not hasattr(type(array), "__array_interface__") and not _has_buffer(array):
            raise TypeError(f"it is {type(array).__name__}, and neither an array nor a number or a list")
        return np.asarray(memoryview(array))
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise TypeError(f"`{name}` is no array that can be read: {_sentence(error)}") from None


def _has_buffer(value: Any) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def maker(kind: str) -> Callable[[np.ndarray], Any]:
    """What makes arrays of that kind from NumPy's."""
    return {"mlx": _to_mlx, "torch": _to_torch}.get(kind, lambda array: array)


def _sentence(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")


def _from_mlx(array: Any) -> np.ndarray:
    mx = sys.modules["mlx.core"]
    mx.eval(array)
    if array.dtype == mx.bfloat16:
        return np.array(array.view(mx.uint16), copy=False).view(bfloat16())
    return np.array(array, copy=False)


def _to_mlx(array: np.ndarray) -> Any:
    mx = sys.modules["mlx.core"]
    if array.dtype.name == "bfloat16":
        return mx.array(array.view(np.uint16)).view(mx.bfloat16)
    return mx.array(array)


def _from_torch(array: Any) -> np.ndarray:
    torch = sys.modules["torch"]
    array = array.detach()
    if array.device.type != "cpu":
        raise TypeError(f"it lies on {array.device}; Assay runs on the CPU")
    if array.dtype == torch.bfloat16:
        return array.view(torch.int16).numpy().view(bfloat16())
    return array.numpy()


def _to_torch(array: np.ndarray) -> Any:
    torch = sys.modules["torch"]
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
