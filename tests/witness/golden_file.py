"""Golden files as the `safetensors` package reads them, and what they say is right (docs/formats.md, "Golden files")."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from safetensors import safe_open


@dataclass
class GoldenFile:
    """Tensors and metadata of one file."""

    path: Path
    metadata: dict
    tensors: dict = field(default_factory=dict)

    def __getitem__(self, name):
        if name not in self.tensors:
            raise KeyError(f"tensor {name}: missing")
        return self.tensors[name]

    def dims(self):
        """Sizes and choices of the case: every word of its line that is a whole number, by name."""
        words = (word.partition("=") for word in self.metadata["case"].split(" "))
        return {name: int(value) for name, _, value in words if value.isdecimal()}

    def outputs(self):
        """Names T of the outputs, for each of which there is `bound.T`."""
        return sorted(key.removeprefix("bound.") for key in self.metadata if key.startswith("bound."))


def open_golden(path):
    """Reads a file whole. Raises what `safetensors` raises where it does not open."""
    with safe_open(path, framework="numpy") as opened:
        return GoldenFile(Path(path), opened.metadata() or {}, {name: opened.get_tensor(name) for name in opened.keys()})


@dataclass
class Stated:
    """What a file says of one output, one array each of its shape.

    `low` to `high` is right; `best` is the answer to compare with, `value` the exact one in float64, and
    `half_width` how far from `best` a right answer can be: None where only `best` is right.
    """

    low: np.ndarray
    high: np.ndarray
    best: np.ndarray
    value: np.ndarray
    half_width: np.ndarray | None


def stated(golden, output):
    """What the file says of an output. In format 1 an interval has no `expected.T` beside it."""
    name = "expected." + output
    best = golden.tensors.get(name)
    low = golden.tensors.get(name + ".low", best)
    high = golden.tensors.get(name + ".high", best)
    if low is None or high is None:
        raise KeyError(f"tensor {name}: missing, and so is {name}.low or {name}.high")
    value = golden.tensors.get(name + ".value", low if best is None else best)
    return Stated(low, high, low if best is None else best, value.astype(np.float64), golden.tensors.get(name + ".half_width"))
