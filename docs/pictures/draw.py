#!/usr/bin/python3
"""Draws the pictures of docs/pipelines.md from pipelines.json, which pipelines_test writes.

    draw.py            draws them anew (needs Debian's python3-matplotlib)
    draw.py --check    status 1 and one line where a picture is not of these data, of this script, or was edited

Each picture ends with a comment that has three hashes: of the data and of the script that it was drawn from, and of
its own text. They are what is compared, since another version of Matplotlib writes other bytes.
"""

import argparse
import hashlib
import io
import json
import pathlib
import re
import sys

MEASURED, RELOADED, DIFFERS, LINE = "#a9c4de", "#e3c28b", "#b3202a", "#333333"
MARK = re.compile(r"<!-- drawn from (\w+) by (\w+), as (\w+) -->\n\Z")


class Row:
    """A kernel, or the four buffers that none has: a bar of every panel."""

    def __init__(self, name, tile, buffers, worked_out):
        self.buffers, self.worked_out = buffers, worked_out
        self.label = name if tile in name else f"{name}  {tile}"
        self.figures = {}  # by key: {"measured": ..., "stated": [...]}


class Panel:
    """Bars of one or two figures of each row, with what documents state of them."""

    def __init__(self, title, *keys, limit=None):
        self.title, self.keys, self.limit = title, keys, limit


def pictures(data):
    """By file name: the panels of each picture, from left to right."""
    return {
        "memory": [Panel("threadgroup bytes", "bytes", limit=data["core_bytes"])],
        "room": [Panel("threadgroups that fit a core", "threadgroups")],
        "intensity": [Panel("multiply-adds for each element loaded", "element_once", "element_loaded")],
        "k_tile": [
            Panel("threadgroup\nbarriers", "barriers"),
            Panel("simdgroup\nbarriers", "simdgroup_barriers"),
            Panel("loads of a\npacked word", "word_loads"),
            Panel("bytes\nloaded", "bytes_loaded"),
            Panel("matrix operations\nof a simdgroup", "operations"),
        ],
        "registers": [Panel("8x8 sums of a simdgroup", "sums")],
    }


def rows_of(data):
    """In the order of the data."""
    rows = {}
    for line in data["figures"]:
        name = line["pipeline"]
        if name not in rows:
            rows[name] = Row(name, line["tile"], line["buffers"], line["worked_out"])
        rows[name].figures[line["figure"]] = line
    return list(rows.values())


def ends(value):
    """The least and the most of a figure."""
    return value if isinstance(value, list) else [value, value]


def shown(value):
    low, high = ends(value)
    texts = [f"{x:,.4g}" if x != int(x) else f"{int(x):,}" for x in (low, high)]
    return texts[0] if low == high else " to ".join(texts)


def draw_row(axes, y, height, figure, colour, worked_out):
    """One bar, the markers of what is stated, and the numbers at the right of the panel."""
    axes.barh(y, ends(figure["measured"])[1], height=height, color="none" if worked_out else colour,
              edgecolor=LINE if worked_out else colour, hatch="////" if worked_out else None, linewidth=0.6)
    wrong = []
    for stated in figure["stated"]:
        low, high = ends(stated["says"])
        if low != high:
            axes.plot([low, high], [y, y], color=LINE, linewidth=1, zorder=3)
        if stated["agrees"]:
            axes.plot([low, high], [y, y], linestyle="none", marker="D", markersize=4, color=LINE, zorder=4,
                      clip_on=False)
        else:
            axes.plot([low, high], [y, y], linestyle="none", marker="x", markersize=6, markeredgewidth=1.8,
                      color=DIFFERS, zorder=5, clip_on=False)
            if shown(stated["says"]) not in wrong:
                wrong.append(shown(stated["says"]))
    beside = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    axes.annotate(shown(figure["measured"]), (1, y), xytext=(36, 0), ha="right", **beside)
    if wrong:
        axes.annotate(", ".join(wrong), (1, y), xytext=(41, 0), ha="left", color=DIFFERS, **beside)


def draw_panel(axes, panel, rows):
    for y, row in enumerate(rows):
        figures = [row.figures[key] for key in panel.keys]
        height = 0.68 / len(figures)
        for i, figure in enumerate(figures):
            at = y + (i - (len(figures) - 1) / 2) * height
            draw_row(axes, at, height * 0.94, figure, (MEASURED, RELOADED)[i], row.worked_out)
    for y in range(1, len(rows)):  # a line wherever the number of buffers changes
        if rows[y].buffers != rows[y - 1].buffers:
            axes.axhline(y - 0.5, color="#bbbbbb", linewidth=0.8)
    if panel.limit:
        axes.axvline(panel.limit, color=DIFFERS, linestyle="--", linewidth=1.2)
        axes.annotate(f"a core has {panel.limit:,}", (panel.limit, 1), xycoords=axes.get_xaxis_transform(),
                      xytext=(0, 5), textcoords="offset points", ha="center", color=DIFFERS)
        axes.set_xlim(0, panel.limit * 1.03)
    axes.set_title(panel.title, loc="left", fontsize=9)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(left=False, length=2)
    axes.xaxis.set_major_formatter(lambda x, _: shown(round(x, 6)))
    axes.locator_params(axis="x", nbins=3 if "\n" in panel.title else 8)
    axes.spines[["top", "right"]].set_visible(False)


def group_names(axes, rows):
    """"3 buffers", at the left edge of the first row of each group."""
    for y, row in enumerate(rows):
        if y == 0 or rows[y - 1].buffers != row.buffers:
            axes.annotate(f"{row.buffers} buffer{'s' if row.buffers > 1 else ''}", (0, y),
                          xycoords=axes.get_yaxis_transform(), xytext=(-285, 0), textcoords="offset points",
                          ha="left", va="center", fontweight="bold")


def add_legend(figure, panels, rows):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    stated = [one for row in rows for panel in panels for key in panel.keys for one in row.figures[key]["stated"]]
    names = ["measured"] if len(panels[0].keys) == 1 else ["measured, each element once", "as often as it is loaded"]
    handles = [Patch(facecolor=colour, label=name) for colour, name in zip((MEASURED, RELOADED), names)]
    if any(row.worked_out for row in rows):
        handles.append(Patch(facecolor="none", edgecolor=LINE, hatch="////", label="worked out, no kernel"))
    if any(one["agrees"] for one in stated):
        handles.append(Line2D([], [], linestyle="none", marker="D", markersize=4, color=LINE,
                              label="stated by a document"))
    if not all(one["agrees"] for one in stated):
        handles.append(Line2D([], [], linestyle="none", marker="x", markersize=6, markeredgewidth=1.8, color=DIFFERS,
                              label="stated, differs from what is measured"))
    figure.legend(handles=handles, loc="lower left", ncol=len(handles), frameon=False, borderaxespad=0.2,
                  handletextpad=0.5, columnspacing=1.6)


def drawn(panels, rows):
    """The text of an SVG."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "assay", "font.size": 8, "hatch.linewidth": 0.5,
                         "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"]})
    rows = [row for row in rows if all(key in row.figures for panel in panels for key in panel.keys)]
    height = 0.25 * len(rows) * max(len(panel.keys) for panel in panels) ** 0.5 + 1.1
    width = 13.5 if len(panels) > 1 else 11
    gap = 0.96  # between panels, in inches as the rest
    across = (width - 5.1 - gap * (len(panels) - 1)) / len(panels)
    figure, axes = plt.subplots(1, len(panels), sharey=True, squeeze=False, figsize=(width, height))
    figure.subplots_adjust(left=4.1 / width, right=1 - 1.0 / width, bottom=0.6 / height, top=1 - 0.45 / height,
                           wspace=gap / across)
    for one, panel in zip(axes[0], panels):
        draw_panel(one, panel, rows)
    axes[0][0].set_yticks(range(len(rows)), [row.label for row in rows])
    group_names(axes[0][0], rows)
    add_legend(figure, panels, rows)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return text.getvalue()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def fault_of(picture, data, script):
    """What is wrong with a picture, in a few words; None if nothing is."""
    if not picture.is_file():
        return "is missing"
    text = picture.read_text(encoding="utf-8")
    mark = MARK.search(text)
    if not mark or mark[3] != digest(text[: mark.start()]):
        return "was edited by hand"
    if mark[1] != digest(data):
        return "shows other figures"
    return None if mark[2] == digest(script) else "was drawn by another script"


def main():
    here = pathlib.Path(__file__).resolve()
    folder = here.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    script = here.read_text(encoding="utf-8")
    data = (folder / "pipelines.json").read_text(encoding="utf-8")
    wanted = pictures(json.loads(data))
    if arguments.check:
        faults = {name: fault_of(folder / f"{name}.svg", data, script) for name in wanted}
        wrong = [f"{name}.svg {fault}" for name, fault in faults.items() if fault]
        if wrong:
            print(f"{'; '.join(wrong)}: draw anew with docs/pictures/draw.py")
        return 1 if wrong else 0
    rows = rows_of(json.loads(data))
    for name, panels in wanted.items():
        text = drawn(panels, rows)
        mark = f"<!-- drawn from {digest(data)} by {digest(script)}, as {digest(text)} -->\n"
        (folder / f"{name}.svg").write_text(text + mark, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
