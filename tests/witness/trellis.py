"""Trellis weights, decoded from docs/formats.md, "Trellis", by way of one row of single bits."""

import numpy as np


def indices(packed, rows, columns, bits):
    """uint8 [tile rows, tile columns, 32 * bits] to indices [rows, columns]."""
    down, across, _ = packed.shape
    single = np.unpackbits(packed, axis=2, bitorder="little").reshape(down, across, 16, 16, bits)
    tiles = single.astype(np.int64) @ (1 << np.arange(bits))
    return tiles.transpose(0, 2, 1, 3).reshape(16 * down, 16 * across)[:rows, :columns]


def weights(packed, scales, grid, su, sv, group_size, bits):
    """Weights float16 [K, N], K and N being the lengths of `su` and `sv`."""
    at = indices(packed, su.size, sv.size, bits)
    level = grid[np.where(at < grid.size, at, 0)]
    # Products of two float32 in float32: each rounds once.
    scaled = level * scales[np.arange(su.size) // group_size]
    return (scaled * su[:, None] * sv[None, :]).astype(np.float16)
