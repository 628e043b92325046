"""Expressions of a manifest over dimensions: exact fractions, as docs/manifest.md has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping

from ._sizes import Extent, Size, simplified


@dataclass(frozen=True)
class _Exact:
    """A fraction of sizes, as expressions of a manifest have it: 6 / 4 * 2 is 3."""

    number: Extent
    of: Extent = 1

    def __add__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.of + other.number * self.of, self.of * other.of)

    def __sub__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.of - other.number * self.of, self.of * other.of)

    def __mul__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.number, self.of * other.of)

    def __truediv__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.number * other.of, self.of * other.number)

    def __mod__(self, other: "_Exact") -> "_Exact":
        return _Exact(self.whole() % other.whole())

    def __neg__(self) -> "_Exact":
        return _Exact(0 - self.number, self.of)

    def whole(self) -> Extent:
        return self.number // self.of

    def ceil(self) -> "_Exact":
        return _Exact((self.number + self.of - 1) // self.of)

    def floor(self) -> "_Exact":
        return _Exact(self.whole())


def extent_of(text: Any, sizes: Mapping[str, Extent]) -> Extent:
    """An expression of the manifest over dimensions: a number, "N", "K/32", "ceil(N/4)", "kv_heads * group"."""
    if isinstance(text, int):
        return text
    allowed = re.fullmatch(r"[A-Za-z0-9_+\-*/(), ]+", text)
    names = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)) - {"ceil", "floor"}
    if not allowed or not names <= set(sizes):
        raise ValueError(f"the extent {text!r} is no expression over {', '.join(sizes)}")
    known = {name: _Exact(size) for name, size in sizes.items()}
    known |= {"ceil": _Exact.ceil, "floor": _Exact.floor, "Exact": _Exact}
    exact = re.sub(r"(?<![A-Za-z0-9_])(\d+)", r"Exact(\1)", text)
    try:
        found = eval(exact, {"__builtins__": {}}, known).whole()  # names, numbers and operators alone
    except (SyntaxError, TypeError, AttributeError):
        raise ValueError(f"the extent {text!r} is no expression over {', '.join(sizes)}") from None
    return simplified(found) if isinstance(found, Size) else found
