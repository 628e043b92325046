"""What files made from a model say of how well its weights are kept: `model.py PROGRAM`.

Makes a model, has a set made from it, and works out errors, entropy and bits a weight from the codes of each file
(docs/golden.md, "From the weights of a model").
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

import operations
import rans
import witness
from golden_file import open_golden

ACTIVATIONS = {"A", "x"}
SAID = 2.0**-20  # figures are said in nine digits


def model(draw):
    """Matrices [out_features, in_features] of each type, some of no round size, one with outliers."""
    shapes = {"q": ((70, 96), np.float32), "k": ((33, 64), np.float16), "v": ((40, 136), ml_dtypes.bfloat16)}
    weights = {name: draw.normal(0, 0.02, shape).astype(dtype) for name, (shape, dtype) in shapes.items()}
    weights["q"][3, 5] = 1.5
    return {f"layers.0.{name}.weight": one for name, one in weights.items()}


def decoded(golden):
    """The weights that a file's codes stand for, float64 [out_features, in_features], and their rANS symbols."""
    if golden.metadata["operation"].startswith("rans_"):
        symbols, _ = rans.decode(operations.rans_layer(golden))
        if "scale" not in golden.tensors:
            return None, symbols
        return (
            operations.levels(golden["scale"][0], golden["zero_point"][0].astype(np.float64))[symbols, 1],
            symbols,
        )
    kind = golden.metadata["operation"].split("_")[1]
    weights = (
        operations.trellis_weights if kind == "trellis" else lambda one: operations.packed_weights(one, kind)
    )
    return weights(golden).astype(np.float64).T, None


def entropy(symbols):
    shares = np.unique_counts(symbols).counts / symbols.size
    return -(shares * np.log2(shares)).sum()


def figures(golden, weights):
    """What the file's metadata must say."""
    kept, symbols = decoded(golden)
    inputs = [
        t
        for name, t in golden.tensors.items()
        if not name.startswith("expected.") and name not in ACTIVATIONS
    ]
    right = {"bits_per_weight": 8 * sum(one.nbytes for one in inputs) / weights.size}
    if kept is not None:
        off = np.abs(kept - weights)
        right |= {"maximum_error": off.max(), "rms_error": np.sqrt((off**2).mean())}
        right["relative_error"] = right["rms_error"] / np.sqrt((weights**2).mean())
    if symbols is not None:
        tiles = [symbols[place] for place in rans.tiles(operations.rans_layer(golden))]
        right |= {"entropy": entropy(symbols), "entropy_of_streams": 8 * golden["data"].nbytes / weights.size}
        right["entropy_of_tiles"] = sum(entropy(tile) * tile.size for tile in tiles) / weights.size
    return right


def judge(golden, weights):
    found = []
    for name, right in figures(golden, weights).items():
        said = float(golden.metadata[name])
        if not abs(said - right) <= SAID * abs(right):
            found.append(f"{golden.path.name}: metadata {name}: is {said}, and {right} is right")
    return found


def main(program):
    with tempfile.TemporaryDirectory(prefix="assay-witness-") as place:
        file, out = Path(place) / "model.safetensors", Path(place) / "set"
        weights = model(np.random.default_rng(18))
        save_file(weights, file)
        command = [program, "golden", "make", "--from", file, "--seed", "3", "--out", out, "--shard", "1/1"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found, files = [], [open_golden(path) for path in sorted(out.glob("*.safetensors"))]
        for golden in files:
            own = weights[golden.metadata["tensor"]].astype(np.float64)
            found += judge(golden, own)
            # Of another weight than it says, it must be told.
            if not judge(golden, np.where(np.abs(own) == np.abs(own).max(), 0, own)):
                found.append(f"{golden.path.name}: one weight changed: no objection")
        for line in found:
            print(line)
        print(
            f"{len(files)} files of {len(weights)} matrices: {len(found)} objections to what they say of errors"
        )
        return 1 if found or not files else witness.main([out])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
