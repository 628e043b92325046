"""Holds what a golden file says against what is right: every objection is a line that names tensor and element."""

import numpy as np

from golden_file import stated
from operations import RIGHT


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
    return [f"{name}: element {list(at)} {what} {got[at]}, and {shown} is right; {int(wrong.sum())} such elements"]


def within(values, ends, signed_zero):
    """From one end to the other, or the same as both."""
    wide = values.astype(np.float64)
    first, last = (end.astype(np.float64) for end in ends)
    close = same(wide, first, signed_zero) | same(wide, last, signed_zero)
    return close | ((first < wide) & (wide < last))


def judge_form(name, said, dtype, shape):
    """What holds of an output whatever its values are."""
    for part, tensor in (("low", said.low), ("high", said.high), ("best", said.best)):
        if tensor.dtype != dtype or tensor.shape != shape:
            return [f"{name}: {part} is {tensor.dtype} {tensor.shape}, not {dtype} {shape}"]
    if said.value.shape != shape or (said.half_width is not None and said.half_width.shape != shape):
        return [f"{name}: value or half_width has another shape"]
    low, high, best = (one.astype(np.float64) for one in (said.low, said.high, said.best))
    numbers = ~(np.isnan(low) | np.isnan(high) | np.isnan(best))
    found = objection(numbers & ~((low <= best) & (best <= high)), name, "is", best, (low, high))
    if said.half_width is not None:
        reach = np.where(numbers & (low != high), np.maximum(high - best, best - low), 0.0)
        found += objection(~(reach <= said.half_width), name, "has a half-width of", said.half_width, (reach,))
    return found


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
        far = ~same(said.value, right.value, False) & ~(np.abs(said.value - right.value) <= right.tolerance)
        found += objection(far, name, "value is", said.value, (right.value,))
    return found
