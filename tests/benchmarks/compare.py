#!/usr/bin/env python3
"""Compares the benchmarks of two builds, and says which of them got slower or faster beyond the noise.

    compare.py BEFORE AFTER [--filter REGEX] [--rounds N] [--time SECONDS] [--pin]

BEFORE and AFTER are folders with the same Google Benchmark programs. Each round runs every program of both, one right
after the other, and the round after that in the other order: what slows the machine down for a while slows both down.
A round gives each benchmark one ratio, the seconds after divided by the seconds before.

The noise of a benchmark is the confidence interval of the mean of the logarithms of its ratios, by Student's
t-distribution (scipy.stats). Its level is 95 % for all benchmarks together (Bonferroni): 99.9 % each where there are
50. A benchmark has changed if 1 lies outside of its interval.

Exit status 0, 1 if a benchmark got slower, 2 if nothing could be compared.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from scipy import stats

TOGETHER = 0.95  # confidence in all intervals at once


def run(program, options):
    """Seconds by benchmark: processor time, or what the benchmark measures by the clock (real_time, manual_time)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = options.pin + [str(program), f"--benchmark_filter={options.filter}", f"--benchmark_out={out.name}",
                                 "--benchmark_out_format=json", f"--benchmark_min_time={options.time}"]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        text = pathlib.Path(out.name).read_text()
    if ended.returncode != 0:
        print(f"compare: {program} ended with status {ended.returncode}: {ended.stderr.strip()}", file=sys.stderr)
        sys.exit(2)
    if not text.strip():  # no benchmark has such a name
        return {}
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    rows = [row for row in json.loads(text)["benchmarks"] if not row.get("error_occurred")]
    # The processor time of a benchmark that waits for another process is not what it measures.
    return {row["name"]: unit[row["time_unit"]] *
            row["real_time" if re.search("/(real|manual)_time", row["name"]) else "cpu_time"] for row in rows}


def interval(ratios, level):
    """The mean ratio, and the factor by which its confidence interval reaches to both sides."""
    logs = [math.log(ratio) for ratio in ratios]
    mean, error = sum(logs) / len(logs), stats.sem(logs)
    if error == 0:
        return math.exp(mean), 1.0
    return math.exp(mean), math.exp(stats.t.interval(level, len(logs) - 1, 0, error)[1])


def seconds_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def measure(options):
    before, after = {}, {}  # benchmark -> seconds by round; no two programs have one of the same name
    old, new = ({path.name for path in folder.iterdir() if path.name.endswith("_benchmark")}
                for folder in (options.before, options.after))
    both = sorted(old & new)
    for name in sorted(old ^ new):
        print(f"{name}: in the {'old' if name in old else 'new'} build only; not compared")
    for number in range(options.rounds):
        for name in both:
            sides = [(options.before, before), (options.after, after)]
            for folder, seconds in sides if number % 2 == 0 else reversed(sides):
                for benchmark, value in run(folder / name, options).items():
                    seconds.setdefault(benchmark, []).append(value)
        print(f"round {number + 1} of {options.rounds} is done", file=sys.stderr)
    return before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--filter", default=".", help="only benchmarks whose names match")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each program, at least 3")
    parser.add_argument("--time", type=float, default=0.2, help="seconds of each benchmark in a round, at least")
    parser.add_argument("--pin", action="store_const", const=["taskset", "-c", "0"], default=[],
                        help="run on the first core alone")
    options = parser.parse_args()
    if options.rounds < 3:
        parser.error("--rounds: at least 3, or nothing is known of the noise")
    re.compile(options.filter)
    before, after = measure(options)
    names = [name for name in after if len(before.get(name, [])) == len(after[name]) == options.rounds]
    for name in sorted((set(before) | set(after)) - set(names)):
        where = "both builds, but not in every round" if name in before and name in after else \
            f"the {'old' if name in before else 'new'} build only"
        print(f"{name}: in {where}; not compared")
    if not names:
        print("no benchmark is in both builds and matches", file=sys.stderr)
        return 2
    level = 1 - (1 - TOGETHER) / len(names)
    width = max(len(name) for name in names)
    print(f"\n{'benchmark':<{width}}  {'before':>9}  {'after':>9}  {'ratio':>6}  {'noise':>7}")
    counts = {"slower": 0, "faster": 0, "": 0}
    for name in names:
        ratio, factor = interval([b / a for a, b in zip(before[name], after[name])], level)
        verdict = "slower" if ratio > factor else "faster" if ratio * factor < 1 else ""
        counts[verdict] += 1
        middle = [seconds_text(sorted(side[name])[options.rounds // 2]) for side in (before, after)]
        print(f"{name:<{width}}  {middle[0]:>9}  {middle[1]:>9}  {ratio:>6.3f}  {100 * (factor - 1):>5.1f} %  {verdict}"
              .rstrip())
    print(f"\n{len(names)} benchmarks, {options.rounds} rounds: {counts['slower']} slower, {counts['faster']} faster, "
          f"{counts['']} within the noise")
    return 1 if counts["slower"] else 0


if __name__ == "__main__":
    sys.exit(main())
