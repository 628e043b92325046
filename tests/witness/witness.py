"""Holds golden files against programs that share nothing with Assay: `witness.py FOLDER...` (docs/golden.md).

Status 0: no objection. 1: an objection, each a line. 2: a folder has no golden file.
"""

import sys
from collections import Counter
from pathlib import Path

import content_hash
import judge
import set_index
import vectors
from golden_file import open_golden


def judge_file(path):
    """What the file is of, and every objection to it; one that does not open or does not add up is one."""
    kind = "unreadable"
    try:
        golden = open_golden(path)
        if "operation" not in golden.metadata:
            return "independent vectors", vectors.judge(golden)
        kind = golden.metadata["operation"]
        return kind, judge.judge(golden) + content_hash.judge(path.name, path.read_bytes(), golden.metadata)
    except Exception as fault:  # whatever a package says of damage
        return kind, [f"{path.name}: {type(fault).__name__}: {fault}"]


def judge_index(path):
    """Every objection to the index of a set."""
    try:
        return set_index.judge(path)
    except Exception as fault:
        return [f"{path.name}: {type(fault).__name__}: {fault}"]


def main(folders):
    status = 0
    for folder in map(Path, folders):
        files = sorted(folder.glob("*.safetensors"))
        if not files:
            print(f"{folder}: has no golden file")
            return 2
        counts, found = Counter(), []
        for path in files:
            kind, objections = judge_file(path)
            counts[kind] += 1
            found += objections
        for path in sorted(folder.glob("*.index.json")):
            counts["index"] += 1
            found += judge_index(path)
        for line in found:
            print(line)
        status |= bool(found)
        print(
            f"{folder}: {len(files)} files: "
            + ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
        )
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else 2)
