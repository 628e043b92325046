"""Holds what a golden file says against what is right: every objection is a line that names tensor and
element."""

import numpy as np

from golden_file import stated
from operations import RIGHT
from packed import rounded
from sums import upward


def same(left, right, signed_zero):
    """Equal numbers, or both NaN; where `signed_zero`, -0 is not 0."""
    equal = left == right
    if signed_zero:
        equal &= np.signbit(left) == np.signbit(right)
    return equal | (np.isnan(left) & np.isnan(right))


def objection(wrong, name, what, got, wanted):
    """A line for the first of the elements that are wrong, if there is one."""
    if not wrong.any():
        return []
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    shown = ", ".join(str(one[at]) for one in wanted)
    return [
        f"{name}: element {list(at)} {what} {got[at]}, and {shown} is right; {int(wrong.sum())} such elements"
    ]


def within(values, ends, signed_zero):
    """From one end to the other, or the same as both."""
    wide = values.astype(np.float64)
    first, last = (end.astype(np.float64) for end in ends)
    close = same(wide, first, signed_zero) | same(wide, last, signed_zero)
    return close | ((first < wide) & (wide < last))


def distance(from_low, to_high):
    """How far the second lies above the first: 0 between equal infinities, and between what is not ordered.
    """
    return np.where(from_low < to_high, to_high - from_low, 0.0)


def judge_form(name, said, dtype, shape):
    """What holds of an output whatever its values are."""
    for part, tensor in vars(said).items():
        wanted = {"value": np.dtype(np.float64), "half_width": np.dtype(np.float32)}.get(part, dtype)
        if tensor is not None and (tensor.dtype, tensor.shape) != (wanted, shape):
            return [f"{name}: {part} is {tensor.dtype} {tensor.shape}, not {wanted} {shape}"]
    low, high = said.low.astype(np.float64), said.high.astype(np.float64)
    found = objection(low > high, name, "is right from", low, (high,))
    if said.best is None:
        return found
    best = said.best.astype(np.float64)
    found += objection((best < low) | (best > high), name, "is", best, (low, high))
    if said.half_width is not None:
        reach = np.maximum(distance(low, best), distance(best, high))
        # The least float32 that is not less; the distance itself may have been rounded down.
        wrong = ~((reach <= said.half_width) & (said.half_width <= upward(np.nextafter(reach, np.inf))))
        wrong |= (reach == 0) & (said.half_width != 0)
        found += objection(wrong, name, "has a half-width of", said.half_width, (reach,))
    return found


def nearest_of(right, said, dtype):
    """The two numbers of the output's type that `best` may be between: the exact value rounded, and brought
    into range."""
    low, high = said.low.astype(np.float64), said.high.astype(np.float64)
    ends = (right.value - right.tolerance, right.value + right.tolerance)
    if np.issubdtype(dtype, np.floating):
        ends = (rounded(end, dtype).astype(np.float64) for end in ends)
    return tuple(np.clip(end, low, high) for end in ends)


@np.errstate(all="ignore")
def judge(golden):
    """Every objection to a file of a set. What is infinite or NaN is so by intent."""
    operation = golden.metadata["operation"]
    if operation not in RIGHT:
        return [f"{golden.path.name}: the witness knows no operation {operation}"]
    rights = RIGHT[operation](golden)
    if sorted(rights) != golden.outputs():
        return [f"{golden.path.name}: outputs are {golden.outputs()}, not {sorted(rights)}"]
    found = []
    for output, right in rights.items():
        name, said = f"{golden.path.name}: expected.{output}", stated(golden, output)
        form = judge_form(name, said, right.low[0].dtype, right.low[0].shape)
        found += form
        if form:
            continue
        signed_zero = golden.metadata["signed_zero." + output] == "true"
        for part, got, ends in (("low", said.low, right.low), ("high", said.high, right.high)):
            found += objection(~within(got, ends, signed_zero), name, f"{part} is", got, ends)
        if said.best is not None:
            ends = nearest_of(right, said, said.best.dtype)
            found += objection(~within(said.best, ends, signed_zero), name, "is", said.best, ends)
        # Values are kept as float32.
        rounding = 2.0**-24 * np.abs(right.value) + 2.0**-150
        close = right.tolerance + np.where(np.isfinite(right.value), rounding, 0)
        far = ~same(said.value, right.value, False) & ~(np.abs(said.value - right.value) <= close)
        found += objection(far, name, "value is", said.value, (right.value,))
    return found
