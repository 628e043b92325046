"""One golden file: inputs, what is right, and whether a result is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Union

import numpy as np
from safetensors import SafetensorError, safe_open

_SHOWN = 6  # elements of a message


class GoldenError(ValueError):
    """A file is no golden file, or does not hold what is asked for. One sentence."""


class Wrong(AssertionError):
    """A result is not right. The message says which elements, what they are and what would be right.

    Attributes:
        output: its name.
        elements: indices of the wrong ones, an array of shape (count, axes).
    """

    def __init__(self, message: str, output: str, elements: np.ndarray) -> None:
        super().__init__(message)
        self.output = output
        self.elements = elements


@dataclass(frozen=True)
class Stated:
    """What is right for one output, arrays of its shape.

    A value is right from `low` to `high`; where `best` is NaN, only NaN is. No right value is farther from `best`, the
    exact result rounded to the output's type, than `half_width`.
    """

    best: np.ndarray
    low: np.ndarray
    high: np.ndarray
    half_width: np.ndarray
    signed_zero: bool  #: whether -0 differs from 0
    bound: str  #: where the range comes from, in words


class Case:
    """One golden file. `case["A"]` is an input, as NumPy has it."""

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        try:
            with safe_open(self.path, framework="numpy") as opened:
                self.metadata: Mapping[str, str] = opened.metadata() or {}
                self._tensors = {name: opened.get_tensor(name) for name in opened.keys()}
        except (OSError, SafetensorError) as error:
            raise GoldenError(f"{self.path}: cannot be read as safetensors: {error}") from None
        for key in ("operation", "case", "format"):
            if key not in self.metadata:
                raise GoldenError(f"{self.path}: metadata {key}: missing; this is no golden file")

    def __repr__(self) -> str:
        return f"<assay_golden.Case {self.path.name}: {self.metadata['case']}>"

    @staticmethod
    def operation_of(path: Path) -> str:
        """The operation of a file; "" of one that is no golden file."""
        try:
            with safe_open(path, framework="numpy") as opened:
                return (opened.metadata() or {}).get("operation", "")
        except (OSError, SafetensorError):
            return ""

    @property
    def operation(self) -> str:
        """What is computed: "gemm_fp4"."""
        return self.metadata["operation"]

    @property
    def dims(self) -> dict[str, int]:
        """Sizes and choices by name: {"M": 1, "N": 256, "K": 512, "group_size": 32}."""
        words = (word.partition("=") for word in self.metadata["case"].split())
        return {name: int(value) for name, _, value in words if value.isdecimal() and "." not in name and name != "seed"}

    @property
    def arithmetic(self) -> dict[str, str]:
        """What the answers hold for: {"dequantize": "half", "accumulate": "float"}."""
        return {key: self.metadata[key] for key in ("dequantize", "accumulate") if key in self.metadata}

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        """All inputs by name."""
        return {name: tensor for name, tensor in self._tensors.items() if not name.startswith("expected.")}

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return sorted(key.removeprefix("bound.") for key in self.metadata if key.startswith("bound."))

    def __getitem__(self, name: str) -> np.ndarray:
        inputs = self.inputs
        if name not in inputs:
            raise GoldenError(f"{self.path.name}: has no input {name}; it has {', '.join(sorted(inputs))}")
        return inputs[name]

    def stated(self, output: str) -> Stated:
        """What is right for that output. Raises GoldenError for one that the file has not."""
        name = f"expected.{output}"
        if output not in self.outputs or name not in self._tensors and f"{name}.low" not in self._tensors:
            raise GoldenError(f"{self.path.name}: has no output {output}; it has {', '.join(self.outputs) or 'none'}")
        low, high = self._tensors.get(f"{name}.low"), self._tensors.get(f"{name}.high")
        if (low is None) != (high is None):
            raise GoldenError(f"{self.path.name}: tensor {name}.low stands without {name}.high, or the reverse")
        best = self._tensors.get(name, low)
        if low is None:
            low = high = best
        with np.errstate(invalid="ignore"):
            reach = np.maximum(*(np.abs(end.astype(np.float64) - best.astype(np.float64)) for end in (low, high)))
        return Stated(
            best=best,
            low=low,
            high=high,
            half_width=self._tensors.get(f"{name}.half_width", np.nan_to_num(reach, nan=0.0, posinf=np.inf)),
            signed_zero=self.metadata.get(f"signed_zero.{output}") == "true",
            bound=self.metadata.get(f"bound.{output}", ""),
        )

    def check(self, results: Union[Mapping[str, Any], Any]) -> None:
        """Holds results against what is right.

        Args:
            results: an array of the only output, or arrays by name: NumPy's, MLX's, PyTorch's, anything that
                numpy.asarray takes. Of the output's shape, and its type or a wider one.

        Raises:
            Wrong: with the elements that are wrong.
            GoldenError: for a shape that is another, and for a name that is no output.
        """
        outputs = self.outputs
        if not isinstance(results, Mapping):
            if len(outputs) != 1:
                raise GoldenError(f"{self.path.name}: has the outputs {', '.join(outputs)}; pass arrays by these names")
            results = {outputs[0]: results}
        if not results:
            raise GoldenError(f"{self.path.name}: nothing was passed to check; it has the outputs {', '.join(outputs)}")
        for output, array in results.items():
            stated = self.stated(output)
            got = _numbers(array)
            if got.shape != stated.best.shape:
                raise GoldenError(f"{self.path.name}: {output} has shape {got.shape}, and {stated.best.shape} is right")
            wrong = ~_right(got, stated)
            if wrong.any():
                raise self._wrong(output, got, stated, wrong)

    def _wrong(self, output: str, got: np.ndarray, stated: Stated, wrong: np.ndarray) -> Wrong:
        elements = np.argwhere(wrong)
        off = _excess(got, stated)
        order = sorted(range(len(elements)), key=lambda i: -off[tuple(elements[i])])[:_SHOWN]
        rows = [f"  {'element':>18} {'got':>16} {'exact':>16} {'low':>16} {'high':>16}"]
        for i in sorted(order):
            at = tuple(elements[i])
            place = ", ".join(str(int(one)) for one in at)
            numbers = " ".join(f"{one[at]!s:>16}" for one in (got, stated.best, stated.low, stated.high))
            rows.append(f"  {'[' + place + ']':>18} {numbers}")
        if len(elements) > len(order):
            rows.append(f"  and {len(elements) - len(order):,} more; these are farthest off")
        share = f"{len(elements):,} of {got.size:,} elements {'is' if len(elements) == 1 else 'are'} wrong"
        message = f"{self.path.name}: {output}: {share}\n  case {self.metadata['case']}\n"
        bound = f"  bound: {stated.bound}\n" if stated.bound else ""
        return Wrong(message + bound + "\n".join(rows), output, elements)


def _numbers(array: Any) -> np.ndarray:
    """As NumPy has them; bfloat16 of MLX and PyTorch, which NumPy has not, as float32."""
    if type(array).__module__.startswith("torch"):
        array = array.detach().cpu()
        array = array.float() if str(array.dtype) == "torch.bfloat16" else array
        return array.numpy()
    if type(array).__module__.startswith("mlx") and str(array.dtype).endswith("bfloat16"):
        import mlx.core as mx

        array = array.astype(mx.float32)
    return np.asarray(array)


def _wide(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float64)


def _right(got: np.ndarray, stated: Stated) -> np.ndarray:
    value, low, high, best = (_wide(one) for one in (got, stated.low, stated.high, stated.best))
    anything = (low == -np.inf) & (high == np.inf)
    with np.errstate(invalid="ignore"):
        right = ((low <= value) & (value <= high)) | anything
    if stated.signed_zero:
        zero = (value == 0) & (low == 0) & (high == 0)
        right &= ~zero | (np.signbit(value) == np.signbit(low)) | (np.signbit(value) == np.signbit(high))
    return np.where(np.isnan(best) & ~anything, np.isnan(value), right)


def _excess(got: np.ndarray, stated: Stated) -> np.ndarray:
    """How far outside of what is right; infinite where that is no number."""
    value, low, high = (_wide(one) for one in (got, stated.low, stated.high))
    with np.errstate(invalid="ignore"):
        off = np.maximum(np.maximum(low - value, value - high), 0)
    return np.where(np.isnan(off), np.inf, off)
