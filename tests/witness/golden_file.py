"""Golden files as the `safetensors` package reads them, and what they say is right (docs/formats.md, "Golden
files")."""

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
        return GoldenFile(
            Path(path), opened.metadata() or {}, {name: opened.get_tensor(name) for name in opened.keys()}
        )


@dataclass
class Stated:
    """What a file says of one output, one array each of its shape.

    `low` to `high` is right. `best` is the exact result rounded to the output's type, `value` that in
    float64, and no right answer is farther from `best` than `half_width`. In format 1 there is no `best`
    where there are `low` and `high`, and never a `half_width`; in format 2 that is None where only `best` is
    right.
    """

    low: np.ndarray
    high: np.ndarray
    best: np.ndarray | None
    value: np.ndarray
    half_width: np.ndarray | None


def stated(golden, output):
    """What the file says of an output. Raises KeyError for a tensor that is missing."""
    name = "expected." + output
    ranged = name + ".low" in golden.tensors or name + ".high" in golden.tensors
    first = golden.metadata["format"] == "1"
    best = None if ranged and first else golden[name]
    low, high = (golden[name + ".low"], golden[name + ".high"]) if ranged else (best, best)
    half_width = golden[name + ".half_width"] if ranged and not first else None
    if not ranged and name + ".half_width" in golden.tensors:
        raise KeyError(f"tensor {name}.half_width: stands without {name}.low and {name}.high")
    value = golden.tensors.get(name + ".value", low if best is None else best)
    return Stated(low, high, best, value.astype(np.float64), half_width)
