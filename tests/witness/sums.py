"""What is right for sums, in float64 (docs/operations.md, "The forward error bound" and "Sums that no order
changes").

The sums of a file are right to their last bit, and those here are not: their own roundings are `slack`, and
where a bound of an interval might round to either of two numbers within it, both are taken.
"""

from dataclasses import dataclass

import numpy as np

from packed import rounded

UNIT = {"float": 2.0**-24, "half": 2.0**-11}
LEAST = {"float": -149, "half": -24}  # the exponent of the least number


@dataclass
class Right:
    """What a file may say of one output, an array each of its shape.

    Its `low` must be one of `low[0]` to `low[1]` and its `high` one of `high[0]` to `high[1]`; its `value`
    differs by `tolerance` at most from this one.
    """

    low: tuple
    high: tuple
    value: np.ndarray
    tolerance: np.ndarray | float

    def shaped(self, shape):
        """The same, as arrays of this shape."""
        ends = [tuple(one.reshape(shape) for one in end) for end in (self.low, self.high)]
        return Right(*ends, self.value.reshape(shape), np.reshape(self.tolerance, shape))


def only(values):
    """Right is this and nothing else."""
    return Right((values, values), (values, values), values.astype(np.float64), 0.0)


def upward(values):
    """The least float32 that is not below."""
    near = rounded(values, np.float32)
    return np.where(near < values, np.nextafter(near, np.float32(np.inf)), near)


def downward(values):
    """The largest float32 that is not above."""
    return -upward(-values)


def half(values):
    return rounded(values, np.float16)


def between(low, high, value, slack, low_end=half, high_end=half):
    """Right is what lies from `low` to `high`, the ends as numbers of the output's type by `low_end` and
    `high_end`; `value` alone where that is infinite or NaN."""
    finite = np.isfinite(value)
    low, high = (np.where(finite, one, value) for one in (low, high))
    width = np.where(finite, slack, 0.0)
    return Right(
        (low_end(low - width), low_end(low + width)),
        (high_end(high - width), high_end(high + width)),
        value,
        width,
    )


def growth(terms, unit):
    """Relative error that `terms` roundings of `unit` come to at most."""
    return terms * unit / (1 - terms * unit)


def lowest_bit(values):
    """The power of two of which each finite value is an odd multiple, as an exponent; huge for 0."""
    fraction, exponent = np.frexp(values)
    whole = (np.abs(fraction) * 2.0**53).astype(np.int64)
    zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(values == 0, 1 << 20, exponent - 53 + zeros)


def order_is_nothing(granule, magnitude, accumulate):
    """Which sums are the same in every order: their terms are multiples of 2^granule and amount to
    `magnitude`, so that the accumulator holds all partial sums."""
    return (magnitude <= np.ldexp(1 / UNIT[accumulate], np.minimum(granule, 1000))) & (
        granule >= LEAST[accumulate]
    )


def granule_of(a, w):
    """The exponent of the lowest bit of all terms of each sum of a @ w."""
    left, right = lowest_bit(a), lowest_bit(w)
    return np.stack([(row[:, None] + right).min(axis=0) for row in left])


def product(a, w, accumulate):
    """Right for float16 C = a @ w, of float16 [M, K] and [K, N], summed up in `accumulate` (float or half).
    """
    a, w = a.astype(np.float64), w.astype(np.float64)
    terms, unit = a.shape[1], UNIT[accumulate]
    value, magnitude = a @ w, np.abs(a) @ np.abs(w)
    # Products of halves underflow in a half accumulator, and the sum goes on from there.
    underflow = terms * 2.0**-25 if accumulate == "half" else 0.0
    error = growth(terms, unit) * (magnitude + underflow) + underflow
    slack = (terms + 64) * 2.0**-52 * magnitude
    sure = np.isfinite(value) & order_is_nothing(
        granule_of(a, np.where(np.isfinite(w), w, 0)), magnitude, accumulate
    )
    error = np.where(sure, 0.0, error)
    # Where every order gives the same, nothing rounds in float64 either.
    return between(value - error, value + error, value, np.where(sure, 0.0, slack))


def rans_product(x, pairs):
    """Right for float32 y = x w^T, x [batch, N]; `pairs` [M, N, 2] has the two numbers that each weight may
    be."""
    terms = x.shape[1]
    low, high, magnitude = (np.empty((x.shape[0], pairs.shape[0])) for _ in range(3))
    granule = np.empty(low.shape, np.int64)
    for row, values in enumerate(x):
        products = pairs * values[:, None]
        low[row], high[row] = products.min(axis=2).sum(axis=1), products.max(axis=2).sum(axis=1)
        magnitude[row] = np.abs(products).max(axis=2).sum(axis=1)
        granule[row] = lowest_bit(np.where(np.isfinite(products), products, 0)).min(axis=(1, 2))
    value = low + (high - low) / 2
    error = growth(terms, UNIT["float"]) * magnitude + terms * 2.0**-149
    sure = order_is_nothing(granule, magnitude, "float")
    error = np.where(sure, 0.0, error)
    slack = np.where(sure, 0.0, (terms + 64) * 2.0**-52 * magnitude)
    return between(low - error, high + error, np.where(low == high, low, value), slack, upward, downward)
