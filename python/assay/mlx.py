"""`mx.fast.metal_kernel` without Metal: the same signature, every launch in a mode of Assay.

`install()` puts it in the place of MLX's, and makes MLX say that there is a GPU; `pytest --assay` does so for a test run.
"""

from __future__ import annotations

import contextvars
import functools
import math
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _arrays, _capture, _kernel, _source, errors
from ._captured import template_table
from ._fields import dimension, listed, tensor_of, three
from ._kernel import Empty, Kernel
from ._manifest import StatedKernel, state
from ._mlx_devices import Devices

#: The mode of kernels that do not name one: "checked" or "fast".
default_mode = "checked"

_MOST_THREADS = 1024
_FEW_ELEMENTS = 8  # MLX passes smaller inputs in constant memory


def metal_kernel(
    name: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    atomic_outputs: bool = False,
    compile_options: Optional[Mapping[str, str]] = None,
    *,
    mode: Optional[str] = None,
) -> Callable[..., list[Any]]:
    """As `mx.fast.metal_kernel`: a function that launches the body `source` on MLX arrays.

    Args: as MLX documents them; `mode` is "checked" or "fast", by default `default_mode`. Arithmetic is strict whatever
        `compile_options` say of math_mode; a text that asks for it (`__FAST_MATH__`) is told what they say.

    Returns:
        A function of `inputs` (arrays, and numbers), `output_shapes`, `output_dtypes`, `grid` (threads), `threadgroup`,
        `template` ([(name, dtype | int | bool)]), `init_value`, `verbose` and `stream`, which gives the list of
        outputs. Launches happen at once. It raises `Fault` for what goes wrong on the way.
    """
    for what, given in (("input_names", input_names), ("output_names", output_names)):
        if isinstance(given, str):
            raise TypeError(f"metal_kernel: {what} is a list of names, not {given!r}")
    if not name.isidentifier():
        raise ValueError(f"metal_kernel: name={name!r} becomes the name of a Metal function, and is no identifier")
    defines = _defines(compile_options or {})
    within = _source.caller()
    body = _source.text(source, name, within)
    ahead = _source.text(header, name + ".header", within) if header else _source.NO_TEXT

    def launch(
        inputs: Optional[Sequence[Any]] = None,
        output_shapes: Optional[Sequence[Sequence[int]]] = None,
        output_dtypes: Optional[Sequence[Any]] = None,
        grid: Union[Sequence[int], None] = None,
        threadgroup: Union[Sequence[int], None] = None,
        template: Optional[Sequence[tuple[str, Any]]] = None,
        init_value: Optional[float] = None,
        verbose: bool = False,
        stream: Any = None,
    ) -> list[Any]:
        inputs = list(inputs or [])
        for what, given in (
            ("grid", grid),
            ("threadgroup", threadgroup),
            ("output_shapes", output_shapes),
            ("output_dtypes", output_dtypes),
        ):
            if given is None:
                raise ValueError(f"{name} is called without {what}")
        _check_sizes(grid, threadgroup, output_shapes)
        if template is not None and not all(isinstance(one, (list, tuple)) and len(one) == 2 for one in template):
            raise TypeError(f'{name}: template is a list of pairs, such as ("T", mx.float32)')
        if len(inputs) != len(input_names):
            raise ValueError(f"{name} takes {len(input_names)} inputs, not {len(inputs)}")
        if len(output_shapes) != len(output_names) or len(output_dtypes) != len(output_names):
            raise ValueError(f"{name} has {len(output_names)} outputs, and needs a shape and a dtype for each")
        if _is_traced(inputs):
            if _compiling.get():
                raise _Traced
            raise NotImplementedError(
                f"{name} is launched on arrays that have no elements yet, as mx.export_function and mx.vmap pass them; "
                "Assay launches kernels on arrays that have. Functions that mx.compile compiles may launch them behind "
                "assay.mlx.install(), or under pytest --assay"
            )
        arrays = [_input(one, key, ensure_row_contiguous) for one, key in zip(inputs, input_names)]
        mlx = {
            "inputs": [
                [key, _mlx_name(one.dtype), one.ndim == 0, one.size < _FEW_ELEMENTS]
                for key, one in zip(input_names, arrays)
            ],
            "outputs": [[key, _mlx_name(_arrays.dtype_of(one))] for key, one in zip(output_names, output_dtypes)],
            "template": [_template_argument(*one) for one in template or []],
            "atomic_outputs": bool(atomic_outputs),
            "header": ahead,
        }
        kernel = Kernel(
            source,
            name,
            mode=mode or default_mode,
            _source_of={**_source.of(source, name, mlx=mlx, defines=defines, within=within), "file": "", "text": body},
        )
        if verbose:
            print(f"{name}{tuple(mlx['template'])}:\n{source}")
        found = _run(kernel, dict(zip(input_names, arrays)), output_names, output_shapes, output_dtypes, grid, threadgroup, init_value)
        return _without_derivative(name, inputs, found)

    return launch


def stated(
    name: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    atomic_outputs: bool = False,
    *,
    reference: Any = None,
    dimensions: Any,
    tensors: Mapping[str, Any],
    grid: Any,
    threadgroup: Union[int, Sequence[int]],
    template: Sequence[tuple[str, Any]] = (),
    init_value: Optional[float] = None,
    arguments: Optional[Sequence[Any]] = None,
    fill: str = "",
    operation: Optional[Mapping[str, Any]] = None,
    entry: Optional[Mapping[str, Any]] = None,
) -> StatedKernel:
    """A body as `metal_kernel` takes it, with what it computes: `.verify()` and `.mutate()` as `assay.stated` gives them.

    Args: those of `metal_kernel` and of a call of its kernel, and `reference`, `dimensions`, `tensors`, `fill`, `operation`
        and `entry` of `assay.stated`. `arguments`: what each input, and then each output, stands for; None: the tensor
        or dimension of its own name. A number that Python passes is a tensor of shape "[]".
    """
    made: dict[str, Any] = {
        "source": f"{name}.metal",
        "source_kind": "mlx_body",
        "input_names": list(input_names),
        "output_names": list(output_names),
        "threads_per_threadgroup": threadgroup if isinstance(threadgroup, int) else list(threadgroup),
        "grid": three(grid),
        **(entry or {}),
    }
    for key, value, usual in (
        ("ensure_row_contiguous", ensure_row_contiguous, True),
        ("atomic_outputs", atomic_outputs, False),
        ("init_value", init_value, None),
        ("arguments", arguments, None),
    ):
        if value != usual:
            made[key] = list(value) if key == "arguments" else value
    if template:
        made["template"] = template_table([_template_argument(*one) for one in template])
    if header:
        made["header"] = f"{name}.header.metal"
    content = {
        "dimensions": [dimension(one) for one in listed(dimensions)],
        "tensors": [tensor_of(key, spec) for key, spec in tensors.items()],
        **(operation or {}),
    }
    return state(name, made, content, source, reference, fill, (), header)


def _check_sizes(grid: Any, threadgroup: Any, shapes: Any) -> None:
    for what, given in (("grid", grid), ("threadgroup", threadgroup)):
        known = isinstance(given, (list, tuple)) and len(given) == 3 and all(isinstance(one, (int, np.integer)) for one in given)
        if not known:
            raise ValueError(f"{what} is three whole numbers, not {given!r}")
    for shape in shapes:
        if not isinstance(shape, (list, tuple)) or any(not isinstance(one, (int, np.integer)) or one < 0 for one in shape):
            raise ValueError(f"output_shapes holds shapes, such as (8,), not {shape!r}")


class NoDerivative(NotImplementedError, ValueError):
    """A kernel has no gradient: MLX knows what it computes no more than Assay does."""


def _without_derivative(name: str, inputs: Sequence[Any], outputs: list[Any]) -> list[Any]:
    """Outputs that hang on the inputs, so that a gradient through them is an error, as it is in MLX, and not zero."""
    import mlx.core as mx

    given = [one for one in inputs if isinstance(one, mx.array)]
    if not given:
        return outputs

    def none(*_: Any) -> Any:
        raise NoDerivative(f"{name} has no derivative; state one by mx.custom_function")

    launched = mx.custom_function(lambda *_: outputs)
    launched.vjp(none)
    launched.jvp(none)
    return list(launched(*given))


class _Traced(Exception):
    """A kernel is launched on arrays that a transformation of MLX's passes: they have no elements."""


#: Whether a function is run for MLX to compile it.
_compiling: "contextvars.ContextVar[bool]" = contextvars.ContextVar("assay_compiling", default=False)


def _is_traced(inputs: Sequence[Any]) -> bool:
    import mlx.core as mx

    try:
        mx.eval([one for one in inputs if isinstance(one, mx.array)])
    except (RuntimeError, ValueError) as error:
        if "transformation" not in str(error):
            raise
        return True
    return False


def _copied(tree: Any) -> Any:
    """Its lists and dictionaries are others, its leaves the same."""
    if isinstance(tree, dict):
        return {key: _copied(one) for key, one in tree.items()}
    return [_copied(one) for one in tree] if isinstance(tree, list) else tree


def _restore(tree: Any, kept: Any) -> None:
    if isinstance(tree, dict):
        for key in list(tree):
            if key not in kept:
                del tree[key]
    for key, one in kept.items() if isinstance(kept, dict) else enumerate(kept):
        if isinstance(one, (dict, list)) and isinstance(tree[key], (dict, list)):
            _restore(tree[key], one)
        else:
            tree[key] = one


def _compile(compile_of_mlx: Callable[..., Any]) -> Callable[..., Any]:
    """`mx.compile` under which functions that launch kernels run as they are written."""

    def compile(fun: Callable[..., Any], *options: Any, **named: Any) -> Callable[..., Any]:
        compiled = compile_of_mlx(fun, *options, **named)
        launches = False
        state = [one for one in (named.get("inputs"), named.get("outputs"), *options) if isinstance(one, (list, dict))]

        @functools.wraps(fun)
        def call(*arguments: Any, **keywords: Any) -> Any:
            nonlocal launches
            if not launches:
                token = _compiling.set(True)
                before = [_copied(one) for one in state]
                try:
                    return compiled(*arguments, **keywords)
                except _Traced:
                    launches = True
                    for one, kept in zip(state, before):  # MLX has put arrays without elements in their places
                        _restore(one, kept)
                finally:
                    _compiling.reset(token)
            return fun(*arguments, **keywords)

        return call

    return compile


def _run(
    kernel: Kernel,
    inputs: dict[str, np.ndarray],
    output_names: Sequence[str],
    shapes: Sequence[Sequence[int]],
    dtypes: Sequence[Any],
    grid: Sequence[int],
    threadgroup: Sequence[int],
    init_value: Optional[float],
) -> list[Any]:
    arguments: dict[Union[str, int], Any] = {}
    for one in kernel.parameters:
        key, _, word = one.name.rpartition("_")
        if one.name in inputs:
            arguments[one.name] = _memory_of(inputs[one.name])
        elif key in inputs and word in ("shape", "strides", "ndim"):
            arguments[one.name] = _layout(inputs[key], word)
    if _kernel.recorder is not None:
        made = [(key, shape, _arrays.dtype_of(one)) for key, shape, one in zip(output_names, shapes, dtypes)]
        source = kernel._request["source"]
        texts = source["text"]["text"], source["mlx"]["header"]["text"]
        _capture.record_mlx(
            _kernel.recorder, source["function"], *texts, source["mlx"], inputs, made, grid, threadgroup, init_value
        )
    outputs = {
        key: Empty((max(1, int(np.prod(shape, dtype=np.int64))),), dtype, init_value)
        for key, shape, dtype in zip(output_names, shapes, dtypes)
    }
    size = [int(one) for one in grid]
    if 0 in size:  # nothing runs
        written = {key: np.zeros(one.shape, _arrays.dtype_of(one.dtype)) for key, one in outputs.items()}
    else:
        if math.prod(int(one) for one in threadgroup) > _MOST_THREADS:
            raise ValueError(f"{kernel.function}: threadgroup={tuple(threadgroup)} has more than {_MOST_THREADS:,} threads")
        threads = [min(int(a), b) for a, b in zip(threadgroup, size)]
        try:
            written = kernel.run(arguments, outputs, grid=size, threads=threads, _recorded=True)
        except errors.Fault as fault:
            errors.raised.append(fault)
            raise
    make = _arrays.maker("mlx")
    results = []
    for key, shape in zip(output_names, shapes):
        count = int(np.prod(shape, dtype=np.int64))
        results.append(make(written[key][:count].reshape(tuple(shape))))
    return results


def _input(value: Any, name: str, contiguous: bool) -> np.ndarray:
    if isinstance(value, bool):
        return np.asarray(value, np.bool_)
    if isinstance(value, int):
        bits = 32 if -(2**31) <= value < 2**31 else 64
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"`{name}` is {value}, which no integer of MLX holds")
        return np.asarray(value, f"int{bits}")
    if isinstance(value, float):
        return np.asarray(value, np.float32)
    array = _arrays.to_numpy(value, name)
    if not contiguous and any(stride < 0 for stride in array.strides):
        raise NotImplementedError(f"`{name}` is a view that runs backwards, which Assay does not pass on; pass mx.contiguous({name})")
    return np.ascontiguousarray(array).reshape(array.shape) if contiguous else array


def _memory_of(array: np.ndarray) -> np.ndarray:
    """The elements as they lie in memory, from the first on: what a view with strides is a view of."""
    if array.size == 0:
        return np.zeros(1, array.dtype)
    if array.flags.c_contiguous:
        return array.reshape(-1)
    extent = sum((size - 1) * stride for size, stride in zip(array.shape, array.strides)) // array.itemsize + 1
    return np.lib.stride_tricks.as_strided(array, (extent,), (array.itemsize,))


def _layout(array: np.ndarray, word: str) -> np.ndarray:
    if word == "shape":
        return np.asarray(array.shape or (1,), np.int32)
    if word == "ndim":
        return np.asarray(array.ndim, np.int32)
    return np.asarray([one // array.itemsize for one in array.strides] or (1,), np.int64)


def _defines(options: Mapping[str, str]) -> dict[str, str]:
    for key, value in options.items():
        if key != "math_mode":
            raise ValueError(f"compile_options has no {key}; it has math_mode")
        if value not in ("safe", "relaxed", "fast"):
            raise ValueError(f'math_mode is "safe", "relaxed" or "fast", not {value!r}')
    return {"__FAST_MATH__": "1"} if options.get("math_mode", "safe") != "safe" else {}


def _mlx_name(dtype: np.dtype) -> str:
    return "bool_" if dtype.name == "bool" else dtype.name


def _template_argument(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [name, "bool", "true" if value else "false"]
    if isinstance(value, int):
        return [name, "int", str(value)]
    return [name, "dtype", _mlx_name(_arrays.dtype_of(value))]


def available() -> bool:
    """Whether MLX is installed, and has a GPU of its own."""
    try:
        import mlx.core as mx
    except ImportError:
        return False
    return bool(mx.metal.is_available())


def install() -> Callable[[], None]:
    """Puts `metal_kernel` in MLX's place, and makes MLX say that there is a GPU, which is the default device and runs on
    the CPU.

    Returns:
        A function that undoes it.
    """
    import mlx.core as mx

    if mx.fast.metal_kernel is metal_kernel:  # it is there
        return lambda: None
    changes = [
        (mx.fast, "metal_kernel", metal_kernel),
        (mx, "compile", _compile(mx.compile)),
        (mx.metal, "is_available", lambda: True),
        *Devices(mx).changes(),
    ]
    before = [(where, key, getattr(where, key)) for where, key, _ in changes]
    for where, key, value in changes:
        setattr(where, key, value)

    def undo() -> None:
        for where, key, value in before:
            setattr(where, key, value)

    return undo


