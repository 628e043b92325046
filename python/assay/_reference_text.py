"""Writes what a reference in Python gives as a reference in C++ (docs/own_operation.md).

Outputs are filled in loops over their axes. The first axes that all outputs share are rounds of their own, `each()`, in
which choices are explored separately. What `Cut`s hold is worked out in the outermost loop that it hangs on, once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

from . import _expressions as ex
from ._expressions import NUMBER, TRUTH, Cut, Expression
from ._kinds import in_cpp
from ._numbers import Array
from ._sizes import Extent, same, text_of

#: Functions of whole numbers. As in NumPy, a quotient by 0 is 0, and a shift by all bits or more leaves none.
_HELPERS = {
    "floor_of_quotient": "Index floor_of_quotient(Index a, Index b) { return b == 0 ? 0 : b == -1 ? -a : "
    "a / b - (a % b != 0 && (a < 0) != (b < 0)); }",
    "rest_of_floor": "Index rest_of_floor(Index a, Index b) { return b == 0 || b == -1 ? 0 : "
    "a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); }",
    "unsigned_floor_of_quotient": "Index unsigned_floor_of_quotient(Index a, Index b) { return b == 0 ? 0 : "
    "Index((unsigned long)a / (unsigned long)b); }",
    "unsigned_rest_of_floor": "Index unsigned_rest_of_floor(Index a, Index b) { return b == 0 ? 0 : "
    "Index((unsigned long)a % (unsigned long)b); }",
    "shifted_left": "Index shifted_left(Index a, Index n) { return n < 0 || n > 63 ? 0 : a << n; }",
    "unsigned_shifted_left": "Index unsigned_shifted_left(Index a, Index n) { return n < 0 || n > 63 ? 0 : a << n; }",
    "shifted_right": "Index shifted_right(Index a, Index n) { return a >> (n < 0 || n > 63 ? 63 : n); }",
    "unsigned_shifted_right": "Index unsigned_shifted_right(Index a, Index n) { return n < 0 || n > 63 ? 0 : "
    "Index((unsigned long)a >> n); }",
    "power_of_whole": "Index power_of_whole(Index a, Index n) { Index made = 1; "
    "for (; n > 0; n >>= 1, a *= a) if (n & 1) made *= a; return made; }",
    "bits_set": "Index bits_set(Index a) { return __builtin_popcountl(a < 0 ? -a : a); }",
    "unsigned_bits_set": "Index unsigned_bits_set(Index a) { return __builtin_popcountl(a); }",
    "within": "Index within(Index a, Index low, Index high) { return a < low ? low : a > high ? high : a; }",
    "of_signed": "__int128 of_signed(Index a) { return a; }",
    "of_unsigned": "__int128 of_unsigned(Index a) { return (unsigned long)a; }",
}
_TYPES = {
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
}
#: Functions and operators of which either way is right where rounding lets a kernel go it.
_CHOOSES = {"floor", "ceil", "rint", "round", "trunc", "whole", "isnan"}
ONLY = -1  #: see _Kept.loops


@dataclass(eq=False)
class _Kept:
    """A cut, and what is known of its place."""

    name: str
    cut: Cut
    axes: tuple[Expression, ...]  #: variables
    body: Expression = None
    uses: list[tuple[Expression, ...]] = field(default_factory=list)
    needs: list["_Kept"] = field(default_factory=list)
    #: Of each axis: the loop whose variable it always has, ONLY where it has one element, None where it is kept whole.
    loops: list[Optional[int]] = field(default_factory=list)
    level: int = 0  #: worked out inside so many loops
    chooses: bool = False


class Writer:
    """The text of one reference."""

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self.hidden = set(taken)  # names of tensors and dimensions, by which functions of the same name are hidden
        self.kept: dict[int, _Kept] = {}  # by the cut's identity
        self.order: list[_Kept] = []  # each behind those that it needs
        self.tables: dict[tuple[Any, ...], str] = {}
        self.helpers: set[str] = set()
        self.count = 0

    def text(self, outputs: Sequence[tuple[str, Array]]) -> str:
        """Of outputs by their names in C++: `y`. Shapes are those of the tensors."""
        shared = self._shared_axes([array for _, array in outputs])
        loops = [ex.variable(f"i{axis}_") for axis in range(shared)]
        elements = []
        for name, array in outputs:
            own = [ex.variable(f"j{axis}_") for axis in range(shared, array.ndim)]
            elements.append((name, array, own, array.element(tuple(loops + own))))
        for *_, element in elements:
            self._find(element, None, {})
        self._place(loops)
        depth = self._depth_of_rounds(shared, [element for *_, element in elements])
        lines: list[str] = []
        indent = "  "
        first = outputs[0][1]
        for level in range(shared + 1):
            for one in self.order:
                if one.level == level:
                    lines += [indent + line for line in self._worked_out(one)]
            if level < shared:
                lines.append(indent + self._loop(loops[level].what, first.shape[level], level == depth))
                indent += "  "
        for name, array, own, element in elements:
            inner = indent
            for variable, extent in zip(own, array.shape[shared:]):
                lines.append(inner + self._loop(variable.what, extent, False))
                inner += "  "
            at = ", ".join(one.what for one in loops + own)
            target = f"{name}({at})" if at else f"{name}.flat(0)"
            lines += [inner + line for line in self._statement(element, f"{target} = {{}};")]
            lines += ["  " * (len(indent) // 2 + i) + "}" for i in reversed(range(len(own)))]
        for level in reversed(range(shared)):
            lines.append("  " * (level + 1) + ("});" if level == depth else "}"))
        parts = [_HELPERS[name] for name in sorted(self.helpers)]
        for numbers, name in self.tables.items():
            kind = "double" if any(isinstance(one, float) for one in numbers) else "long"
            parts.append(f"static constexpr {kind} {name}[] = {{{', '.join(_literal(one) for one in numbers)}}};")
        return "\n".join(parts + ["void reference() {", *lines, "}", ""])

    # --- What is there, and where it is worked out

    @staticmethod
    def _shared_axes(arrays: list[Array]) -> int:
        shared = 0
        while all(one.ndim > shared and same(one.shape[shared], arrays[0].shape[shared]) for one in arrays):
            shared += 1
        return shared

    def _find(self, element: Expression, user: Optional[_Kept], seen: dict[int, Expression]) -> None:
        """All cuts below an expression, those that they need before them in `order`."""
        waiting = [element]
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen[id(one)] = one
            waiting += one.arguments
            if one.operator != "cut":
                continue
            kept = self.kept.get(id(one.what))
            if kept is None:
                cut = one.what
                kept = _Kept(f"t{len(self.kept)}_", cut, tuple(ex.variable(f"a{i}_") for i in range(len(cut.shape))))
                self.kept[id(cut)] = kept
                r = ex.variable("r_")
                kept.body = cut.body(kept.axes) if cut.how == "running" else cut.body(kept.axes, r)
                self._find(kept.body, kept, {})
                self.order.append(kept)
            kept.uses.append(one.arguments)
            if user is not None and kept not in user.needs:
                user.needs.append(kept)

    def _place(self, loops: list[Expression]) -> None:
        loop_of = {id(one): i for i, one in enumerate(loops)}
        for one in reversed(self.order):  # those that use it come first
            for axis in range(len(one.axes)):
                found = {loop_of.get(id(use[axis])) for use in one.uses}
                last = one.cut.how in ("running", "order") and axis == len(one.axes) - 1
                only = found.pop() if len(found) == 1 and not last else None
                if one.cut.shape[axis] == 1 and not last:
                    only = ONLY
                one.loops.append(only)
                if only is not None:
                    loop_of[id(one.axes[axis])] = only
            one.level = max((loop + 1 for loop in one.loops if loop is not None), default=0)
        for one in self.order:
            one.chooses = one.cut.how == "order" or _has_choice(one.body) or any(need.chooses for need in one.needs)

    def _depth_of_rounds(self, shared: int, elements: list[Expression]) -> int:
        """Which loop is one of rounds: choices in it are of what is worked out inside of it. None: there are none."""
        levels = [one.level for one in self.order if one.chooses]
        if shared == 0 or (not levels and not any(_has_choice(one) for one in elements)):
            return -1
        return min([shared, *levels]) - 1 if min([shared, *levels]) > 0 else -1

    # --- Lines

    @staticmethod
    def _loop(variable: str, extent: Extent, is_round: bool) -> str:
        if is_round:
            return f"each({text_of(extent)}, [&](Index {variable}) {{"
        return f"for (Index {variable} = 0; {variable} < {text_of(extent)}; ++{variable}) {{"

    def _worked_out(self, one: _Kept) -> list[str]:
        """The lines that declare what a cut holds and fill it."""
        cut = one.cut
        named = {None: lambda axis: axis.what, ONLY: lambda _: "0"}
        names = {
            id(axis): named[loop](axis) if loop in named else f"i{loop}_" for axis, loop in zip(one.axes, one.loops)
        }
        free = [(axis.what, extent) for axis, extent, loop in zip(one.axes, cut.shape, one.loops) if loop is None]
        scope = _Scope(self, names)
        kind = cut.kind
        along = free if cut.how in ("sum", "largest", "least") else free[:-1]
        at = ", ".join(name for name, _ in free)
        lines = []
        if free:
            lines.append(f"Values<{kind}> {one.name}({', '.join(text_of(extent) for _, extent in free)});")
        for name, extent in along:
            lines.append(f"for (Index {name} = 0; {name} < {text_of(extent)}; ++{name}) {{")
        if cut.how in ("sum", "largest", "least"):
            target = f"{one.name}({at}) = " if free else f"const {kind} {one.name} = "
            lines += self._reduced(cut, one.body, kind, target, scope)
        elif cut.how == "running":
            last, extent = free[-1]
            running = f"running{self._next()}_"
            lines += [f"{kind} {running} = 0;", f"for (Index {last} = 0; {last} < {text_of(extent)}; ++{last}) {{"]
            lines += ["  " + line for line in self._statement(one.body, f"{running} += {{}};", scope)]
            lines += [f"  {one.name}({at}) = {running};", "}"]
        else:
            lines += self._ordered(one, free, scope)
        return lines + ["}"] * len(along)

    def _reduced(self, cut: Cut, body: Expression, kind: str, target: str, scope: "_Scope") -> list[str]:
        count = text_of(cut.count)
        if kind == NUMBER:
            value = self._statement(body, "return {};", scope)
            opened = f"{target}{self.function(cut.how)}({count}, [&](Index r_) {{ "
            if len(value) == 1:
                return [opened + value[0] + " });"]
            return [opened.rstrip(), *("  " + line for line in value), "});"]
        made, one = f"made{self._next()}_", f"one{self._next()}_"
        lines = [f"Index {made} = 0;", f"for (Index r_ = 0; r_ < {count}; ++r_) {{"]
        lines += ["  " + line for line in self._statement(body, f"const Index {one} = {{}};", scope)]
        operator = ">" if cut.how == "largest" else "<"
        step = f"{made} += {one};" if cut.how == "sum" else f"if (r_ == 0 || {one} {operator} {made}) {made} = {one};"
        return lines + ["  " + step, "}", f"{target}{made};"]

    def _ordered(self, one: _Kept, free: list[tuple[str, Extent]], scope: "_Scope") -> list[str]:
        """The best of those that have no place yet, place by place."""
        place, places = free[-1]
        at = ", ".join(name for name, _ in free)
        kind = "Index" if one.body.kind == TRUTH else in_cpp(one.body.kind)
        better = ">" if one.cut.descending else "<"
        values, is_taken = f"values{self._next()}_", f"taken{self._next()}_"
        count = text_of(one.cut.count)
        lines = [f"Values<{kind}> {values}({count});", f"Values<bool> {is_taken}({count});"]
        lines.append(f"for (Index r_ = 0; r_ < {count}; ++r_) {{")
        lines += ["  " + line for line in self._statement(one.body, f"{values}(r_) = {{}};", scope)]
        lines += [
            "}",
            f"for (Index {place} = 0; {place} < {text_of(places)}; ++{place}) {{",
            "  Index best_ = -1;",
            f"  for (Index r_ = 0; r_ < {count}; ++r_)",
            f"    if (!{is_taken}(r_) && (best_ < 0 || {values}(r_) {better} {values}(best_))) best_ = r_;",
            f"  {is_taken}(best_) = true;",
            f"  {one.name}({at}) = best_;",
            "}",
        ]
        return lines

    def _statement(self, element: Expression, form: str, scope: Optional["_Scope"] = None) -> list[str]:
        scope = scope or _Scope(self, {})
        lines, text = scope.block(element)
        return lines + [form.format(text)]

    def _next(self) -> int:
        self.count += 1
        return self.count

    def function(self, name: str) -> str:
        return f"assay_reference::{name}" if name.partition("<")[0] in self.hidden else name

    def table(self, numbers: tuple[Any, ...]) -> str:
        return self.tables.setdefault(numbers, f"table{len(self.tables)}_")


class _Scope:
    """Writes expressions. `names` are those of axes that are loops further out."""

    def __init__(self, writer: Writer, names: dict[int, str]) -> None:
        self.writer = writer
        self.names = names
        self.named: dict[int, str] = {}  # what has a variable

    def block(self, element: Expression) -> tuple[list[str], str]:
        """The variables for what is used twice, and the expression. Ways that are not gone are blocks of their own."""
        uses: dict[int, int] = {}
        order: list[Expression] = []

        def count(one: Expression) -> None:
            uses[id(one)] = uses.get(id(one), 0) + 1
            if uses[id(one)] > 1 or id(one) in self.named:
                return
            for part in one.arguments[:1] if one.operator == "select" else one.arguments:
                count(part)
            order.append(one)

        count(element)
        lines = []
        before = dict(self.named)
        for one in order:
            if uses[id(one)] > 1 and one.arguments and one.operator not in ("cut", "negative", "convert", "same"):
                name = f"v{self.writer._next()}_"
                text = self.write(one)
                lines.append(f"const {in_cpp(one.kind)} {name} = {text};")
                self.named[id(one)] = name
        text = self.write(element)
        self.named = before
        return lines, text

    def write(self, one: Expression) -> str:
        if id(one) in self.named:
            return self.named[id(one)]
        return getattr(self, f"_{one.operator}")(one)

    def _variable(self, one: Expression) -> str:
        return self.names.get(id(one), one.what)

    def _constant(self, one: Expression) -> str:
        return f"Number({_literal(one.what)})" if one.kind == NUMBER else _literal(one.what)

    def _size(self, one: Expression) -> str:
        return text_of(one.what)

    def _load(self, one: Expression) -> str:
        at = ", ".join(self.write(part) for part in one.arguments)
        text = f"{one.what}({at})" if at else f"{one.what}.flat(0)"
        return text if one.kind == NUMBER else f"Index({text})"  # of a narrower type until then

    def _table(self, one: Expression) -> str:
        element = f"{self.writer.table(one.what)}[{self.write(one.arguments[0])}]"
        return f"Number({element})" if one.kind == NUMBER else f"Index({element})"

    def _call(self, one: Expression) -> str:
        if one.what in _HELPERS:
            self.writer.helpers.add(one.what)
        return f"{self.writer.function(one.what)}({', '.join(self.write(part) for part in one.arguments)})"

    def _binary(self, one: Expression) -> str:
        a, b = (self.write(part) for part in one.arguments)
        return f"({a} {one.what} {b})"

    def _negative(self, one: Expression) -> str:
        return f"(-{self.write(one.arguments[0])})"

    def _not(self, one: Expression) -> str:
        return f"(!{self.write(one.arguments[0])})"

    def _invert(self, one: Expression) -> str:
        return f"(~{self.write(one.arguments[0])})"

    def _convert(self, one: Expression) -> str:
        text = self.write(one.arguments[0])
        return f"{in_cpp(one.kind)}({f'double((unsigned long){text})' if one.arguments[0].kind == 'uint64' else text})"

    def _same(self, one: Expression) -> str:
        return self.write(one.arguments[0])

    def _wrap(self, one: Expression) -> str:
        return f"Index(({_TYPES[one.kind]})({self.write(one.arguments[0])}))"

    def _select(self, one: Expression) -> str:
        condition, *ways = one.arguments
        texts = []
        for way in ways:
            lines, text = self.block(way)
            kind = in_cpp(one.kind)
            texts.append(f"[&]() -> {kind} {{ {' '.join(lines)} return {text}; }}()" if lines else f"{kind}({text})")
        return f"({self.write(condition)} ? {texts[0]} : {texts[1]})"

    def _cut(self, one: Expression) -> str:
        kept = self.writer.kept[id(one.what)]
        at = ", ".join(self.write(part) for part, loop in zip(one.arguments, kept.loops) if loop is None)
        return f"{kept.name}({at})" if at else kept.name


def _has_choice(element: Expression) -> bool:
    seen: set[int] = set()
    waiting = [element]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.operator == "call" and one.what in _CHOOSES:
            return True
        if one.operator == "binary" and one.kind == TRUTH and any(part.kind == NUMBER for part in one.arguments):
            return True
        waiting += one.arguments
    return False


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value == -(2**63):  # which C++ has no literal for
            return f"({value + 1}L - 1)"
        return f"{value}L" if value >= 0 else f"({value}L)"
    if math.isnan(value):
        return "__builtin_nan(\"\")"
    if math.isinf(value):
        return "__builtin_huge_val()" if value > 0 else "-__builtin_huge_val()"
    return repr(float(value))
