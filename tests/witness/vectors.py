"""Holds the vectors of golden/independent, which another program made, against the same decoders and sums."""

import ml_dtypes
import numpy as np

import packed
import rans
import trellis
from judge import objection, same

MOST_ROUNDINGS = 2.0**-40  # sums in float64 of a few hundred terms, relative to the sum of their sizes


def number(golden, name):
    return int(golden.metadata[name])


def bits_equal(golden, name, wanted):
    got = golden[name]
    return objection(~same(got, wanted, True), f"{golden.path.name}: {name}", "is", got, (wanted,))


def close(golden, name, wanted, size):
    got = golden[name]
    far = ~same(got, wanted, False) & ~(np.abs(got - wanted) <= MOST_ROUNDINGS * size)
    return objection(far, f"{golden.path.name}: {name}", "is", got, (wanted,))


def fp4_codes(golden):
    halves = packed.rounded(packed.fp4_values(golden["codes"]), np.float16).view(np.uint16)
    return bits_equal(golden, "half_bits", halves)


def fp4_encode(golden):
    codes = golden["x"].astype(ml_dtypes.float4_e2m1fn).view(np.uint8) & 15
    return bits_equal(golden, "code", codes)


def packed_weights(golden, kind, chain="half"):
    zeros = golden.tensors.get("zero_points")
    return packed.weights(
        kind,
        golden["packed"],
        golden["scales"],
        zeros,
        number(golden, "K"),
        number(golden, "group_size"),
        chain,
    )


def dequantized(golden):
    kind = golden.path.name.split("_")[1]
    if kind == "fp4":
        return bits_equal(golden, "weights", packed_weights(golden, kind))
    rows, group_size = number(golden, "K"), number(golden, "group_size")
    codes = packed.codes_of(golden["packed"], rows).astype(np.float64) - (8 if kind == "s4" else 0)
    scale, zero = (
        packed.spread(golden[name], group_size, rows).astype(np.float64) for name in ("scales", "zero_points")
    )
    exact = (codes - zero) * scale
    return bits_equal(golden, "weights_half_chain", packed_weights(golden, kind)) + close(
        golden, "weights_exact", exact, np.abs(exact)
    )


def trellis_weights(golden, prefix=""):
    tensors = [golden[prefix + name] for name in ("packed_indices", "scales", "grid", "su", "sv")]
    return trellis.weights(*tensors, number(golden, "group_size"), number(golden, "bits"))


def trellis_file(golden):
    at = trellis.indices(
        golden["packed_indices"], number(golden, "K"), number(golden, "N"), number(golden, "bits")
    )
    return bits_equal(golden, "indices", at.astype(np.uint32)) + bits_equal(
        golden, "weights", trellis_weights(golden)
    )


def product(golden):
    kind = golden.path.name.split("_")[1]
    if kind.startswith("trellis"):
        found, weights = trellis_file(golden), trellis_weights(golden)
    else:
        weights = packed_weights(golden, kind)
        found = bits_equal(golden, "weights", weights)
    a, w = golden["A"].astype(np.float64), weights.astype(np.float64)
    sums, magnitude = a @ w, np.abs(a) @ np.abs(w)
    return (
        found + close(golden, "C_exact", sums, magnitude) + close(golden, "C_magnitude", magnitude, magnitude)
    )


def experts(golden):
    x = golden["x"].astype(np.float64)
    out, size = np.zeros_like(golden["out_exact"]), np.zeros_like(golden["out_exact"])
    for token, slot in np.ndindex(golden["expert_ids"].shape):
        expert, factor = golden["expert_ids"][token, slot], float(golden["expert_probs"][token, slot])
        gate, up, down = (
            trellis_weights(golden, f"{part}.{expert}.").astype(np.float64) for part in ("gate", "up", "down")
        )
        gated = x[token] @ gate
        hidden = gated / (1 + np.exp(-gated)) * (x[token] @ up)
        out[token] += factor * (hidden @ down)
        size[token] += np.abs(factor) * (np.abs(hidden) @ np.abs(down))
    return close(golden, "out_exact", out, size)


def rans_file(golden):
    buffers = [golden[name] for name in ("freq", "stream_offset", "n_symbols", "data")]
    sizes = [number(golden, name) for name in ("M", "N", "tile_rows", "tile_cols")]
    symbols, faults = rans.decode(rans.Layer(*buffers, None, *sizes))
    found = [f"{golden.path.name}: tile {tile}: {fault}" for tile, fault in enumerate(faults) if fault]
    found += bits_equal(golden, "symbols", symbols)
    scale, zero_point = golden["scale_zero"].astype(np.float64)
    w = symbols * scale + zero_point
    for x, name in ((golden["input"], "output_exact"), (golden["batch_input"], "batch_output_exact")):
        found += close(golden, name, x.astype(np.float64) @ w.T, np.abs(x.astype(np.float64)) @ np.abs(w).T)
    size = np.abs(golden["input"].astype(np.float64)) @ np.abs(w).T
    return found + close(golden, "output_magnitude", size, size)


BY_PREFIX = {
    "fp4_codes": fp4_codes,
    "fp4_encode": fp4_encode,
    "dequant_": dequantized,
    "trellis_": trellis_file,
    "gemm_": product,
    "moe_": experts,
    "rans_": rans_file,
}


@np.errstate(all="ignore")
def judge(golden):
    """Every objection to a file of golden/independent."""
    for prefix, check in BY_PREFIX.items():
        if golden.path.name.startswith(prefix):
            return check(golden)
    return [f"{golden.path.name}: the witness knows no vectors of this name"]
