"""The index of a set: `SET.index.json` lists its files (docs/golden.md, "What a file holds")."""

import json
from collections import Counter

from golden_file import open_golden


def judge(path):
    """Every objection to an index, held against the files beside it."""
    index = json.loads(path.read_text())
    name, listed = index["set"], {line["file"]: line for line in index["files"]}
    found = [] if path.name == name + ".index.json" else [f"{path.name}: is of the set {name}"]
    there = {
        file.name: file
        for file in path.parent.glob(name + "-*.safetensors")
        if file.stem[len(name) + 1 :].isdecimal()
    }
    if sorted(there) != [line["file"] for line in index["files"]]:
        found.append(f"{path.name}: lists {sorted(listed)}, and {sorted(there)} are there")
    tags = Counter()
    for file in sorted(there.keys() & listed.keys()):
        metadata, line = open_golden(there[file]).metadata, listed[file]
        right = {"bytes": there[file].stat().st_size} | {
            key: metadata.get(key) for key in line.keys() - {"file", "bytes"}
        }
        found += [
            f"{path.name}: {file}: {key} is {line.get(key)}, and {value} is right"
            for key, value in right.items()
            if line.get(key) != value
        ]
        if "content_hash" not in line:
            found.append(f"{path.name}: {file}: has no content_hash")
        tags.update(metadata.get("covers", "").split("\n") if metadata.get("covers") else [])
    if tags != index["covers"]:
        found.append(f"{path.name}: covers: counts differ from those of the files")
    return found
