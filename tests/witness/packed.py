"""Weights of four bits: FP4 as `ml_dtypes` has it, U4 and S4 in numpy (docs/formats.md, "FP4" and "INT4")."""

import ml_dtypes
import numpy as np


def rounded(values, dtype):
    """Rounds float64 once; what is too large becomes infinite, without a word."""
    return np.asarray(values, np.float64).astype(dtype)


def fp4_values(codes):
    """float64 values of FP4 codes 0 to 15, by the type float4_e2m1fn."""
    return np.asarray(codes, np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float64)


def codes_of(words, rows):
    """Words uint32 [ceil(rows/8), columns] to codes uint8 [rows, columns]: eight a word, the lowest bits
    first."""
    nibbles = words[:, None, :] >> (4 * np.arange(8, dtype=np.uint32))[None, :, None] & 15
    return nibbles.reshape(-1, words.shape[1])[:rows].astype(np.uint8)


def spread(per_group, group_size, rows):
    """[groups, columns] to [rows, columns]: row k has what stands for group k // group_size."""
    return per_group[np.arange(rows) // group_size]


def weights(kind, words, scales, zeros, rows, group_size, chain):
    """Weights float16 [rows, columns]. `kind` is fp4, u4 or s4; `chain` says where integers round: half or
    float."""
    codes = codes_of(words, rows)
    scale = spread(scales, group_size, rows).astype(np.float64)
    if kind == "fp4":
        return rounded(fp4_values(codes) * scale, np.float16)
    zero = spread(zeros, group_size, rows).astype(np.float64)
    stored = codes.astype(np.float64)
    if chain == "half":
        offset = rounded(8 + zero, np.float16).astype(np.float64) if kind == "s4" else zero
        return rounded(rounded(stored - offset, np.float16).astype(np.float64) * scale, np.float16)
    signed = stored - 8 if kind == "s4" else stored
    difference = rounded(signed - zero, np.float32).astype(np.float64)
    return rounded(rounded(difference * scale, np.float32).astype(np.float64), np.float16)
