"""What is right for every operation of a set, worked out from its inputs (docs/operations.md,
docs/manifest.md)."""

import numpy as np

import packed
import rans
import sums
import trellis
from packed import rounded
from sums import Right, between, only

WEIGHT_TENSORS = ("packed_indices", "scales", "grid", "su", "sv")


def packed_weights(golden, kind):
    dims = golden.dims()
    return packed.weights(
        kind,
        golden["B"],
        golden["scales"],
        golden.tensors.get("zeros"),
        dims["K"],
        dims["group_size"],
        golden.metadata["dequantize"],
    )


def trellis_weights(golden, prefix="", expert=...):
    dims = golden.dims()
    tensors = [golden[prefix + name][expert] for name in WEIGHT_TENSORS]
    return trellis.weights(*tensors, dims["group_size"], dims["bits"])


def zeros(golden, names=("partials", "counters")):
    """Buffers that a launch leaves as it must find them."""
    return {name: only(np.zeros_like(golden[name])) for name in names}


def experts(golden):
    """A layer of experts, the hidden vector in halves. The interval must hold what comes out where nothing
    else rounds, and be no wider than all other roundings, each taken at its worst, account for. The value is
    that of the reals, which files round to float32."""
    ids, x = golden["expert_ids"], golden["x"].astype(np.float64)
    probabilities = golden["expert_probs"].astype(np.float64)
    dims = golden.dims()
    exact, out, width, magnitude = (np.zeros((dims["M"], dims["N"])) for _ in range(4))
    for expert in range(dims["num_experts"]):
        if not (ids == expert).any():
            continue
        gate, up, down = (
            trellis_weights(golden, f"{part}_", expert).astype(np.float64) for part in ("gate", "up", "down")
        )
        for token, slot in np.argwhere(ids == expert):
            factor = probabilities[token, slot]
            hidden, off = hidden_of(x[token], gate, up)
            stored = rounded(hidden, np.float16).astype(np.float64)
            exact[token] += factor * (hidden @ down)
            out[token] += factor * (stored @ down)
            magnitude[token] += np.abs(factor) * (np.abs(hidden) @ np.abs(down))
            width[token] += np.abs(factor) * ((off + 2.0**-16 * np.abs(hidden)) @ np.abs(down))
    slack = (dims["intermediate"] + dims["K"] + 64) * 2.0**-51 * magnitude
    inner = between(out, out, out, slack)
    outer = between(out - width, out + width, out, slack)
    tolerance = 2.0**-24 * np.abs(exact) + slack + 2.0**-149
    return {"out": Right((outer.low[0], inner.low[1]), (inner.high[0], outer.high[1]), exact, tolerance)}


def hidden_of(x, gate, up):
    """silu(x gate) * (x up) of one token, and how far off it may be once it is stored in halves."""
    gated, raised = x @ gate, x @ up
    hidden = gated / (1 + np.exp(-gated)) * raised
    # Half an ulp of a half, twice over; sums, exp and division are off by far less than 2^-14 of the terms.
    return (
        hidden,
        2.0**-10 * np.abs(hidden)
        + 2.0**-14 * (np.abs(x) @ np.abs(gate)) * (np.abs(x) @ np.abs(up))
        + 2.0**-24,
    )


def rans_layer(golden):
    dims = golden.dims()
    tall, wide = dims.get("tile_rows", 1), dims.get("tile_cols", dims["N"])
    buffers = [golden[name] for name in ("freq", "stream_offset", "n_symbols", "data", "checksums")]
    return rans.Layer(*buffers, dims["M"], dims["N"], tall, wide)


def rans_status(faults):
    """0 for a sound tile, anything else for a damaged one."""
    low = np.array([fault is not None for fault in faults], np.uint32)
    high = np.where(low, np.uint32(0xFFFFFFFF), np.uint32(0))
    return Right((low, low), (high, high), low.astype(np.float64), 0.0)


def rans_decode(golden):
    symbols, faults = rans.decode(rans_layer(golden))
    return {"symbols": only(symbols), "status": rans_status(faults)}


def levels(scale, zero_point):
    """The two float32 that each symbol may stand for, [16, 2] of float64: its product rounded before the sum,
    or not."""
    products = np.arange(16) * np.float64(scale)  # exact: 28 bits
    twice = products.astype(np.float32) + np.float32(zero_point)
    # The sum to odd in 53 bits, so that rounding it to 24 is the only rounding.
    total = products + zero_point
    lost = (products - (total - zero_point)) + (zero_point - (total - (total - zero_point)))
    even = (total.view(np.uint64) & 1) == 0
    odd = np.where((lost != 0) & even, np.nextafter(total, np.where(lost > 0, np.inf, -np.inf)), total)
    return np.stack([twice, odd.astype(np.float32)], axis=1).astype(np.float64)


def rans_product(golden):
    """y = x W^T in float32. Rows with a damaged tile are NaN."""
    layer = rans_layer(golden)
    symbols, faults = rans.decode(layer)
    pairs = levels(golden["scale"].ravel()[0], golden["zero_point"].ravel()[0].astype(np.float64))[
        symbols & 15
    ]
    for (rows, _), fault in zip(rans.tiles(layer), faults):
        if fault is not None:
            pairs[rows] = np.nan
    x = golden["x"].astype(np.float64)
    right = sums.rans_product(np.atleast_2d(x), pairs)
    shape = (*x.shape[:-1], layer.rows)
    return {"y": right.shaped(shape), "status": rans_status(faults)}


def dequantized(weights):
    return lambda golden: {"W": only(weights(golden))}


def multiplied(weights):
    return lambda golden: {"C": sums.product(golden["A"], weights(golden), golden.metadata["accumulate"])}


def packed_of(kind):
    return lambda golden: packed_weights(golden, kind)


def striped(golden):
    return multiplied(packed_of("fp4"))(golden) | zeros(golden)


RIGHT = {
    "dequantize_trellis": dequantized(trellis_weights),
    "gemm_trellis": multiplied(trellis_weights),
    "gemm_fp4_striped": striped,
    "zero_reduction": zeros,
    "moe_swiglu_trellis": experts,
    "rans_decode": rans_decode,
    "rans_gemv": rans_product,
    "rans_gemm": rans_product,
}
for _kind in ("fp4", "u4", "s4"):
    RIGHT["dequantize_" + _kind] = dequantized(packed_of(_kind))
    RIGHT["gemm_" + _kind] = multiplied(packed_of(_kind))
