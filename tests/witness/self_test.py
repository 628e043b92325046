"""The witness objects to what is damaged: `self_test.py SETS VECTORS`.

Every number that it holds against something is changed, one in each file, and must be told; of the inputs,
which may meet a zero or lie past the end, one changed bit must be told by some file of the operation.
"""

import copy
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import content_hash
import frameworks
import judge
import set_index
import vectors
from golden_file import open_golden

# For experts only some interval is known, so that a change must be larger than what it may be wide.
COARSE = {"moe_swiglu_trellis"}
# Nothing is worked out from these: what a launch leaves does not depend on what it found.
UNUSED = {"partials", "counters"}
# Tensors of golden/independent that follow from others.
ANSWERS = {
    "half_bits",
    "code",
    "weights",
    "weights_half_chain",
    "weights_exact",
    "C_exact",
    "C_magnitude",
    "indices",
    "symbols",
    "output_exact",
    "output_magnitude",
    "batch_output_exact",
    "out_exact",
}
DIGITLESS = str.maketrans("", "", "0123456789")


def other(value, coarse):
    """Another number of the same type: the next one, or one far away."""
    if not np.issubdtype(value.dtype, np.floating):
        return value ^ value.dtype.type(1)
    if not np.isfinite(value):
        return value.dtype.type(1)
    if coarse or value.dtype == np.float64:
        return value.dtype.type(value * 1.5 + 1)
    return np.nextafter(value, value.dtype.type(np.inf if value < 0 else -np.inf))


def changed(golden, name, at, value):
    """The file with one element of a tensor replaced; `at` counts elements."""
    damaged = copy.copy(golden)
    tensor = golden[name].copy()
    tensor.ravel()[at] = value
    damaged.tensors = golden.tensors | {name: tensor}
    return damaged


def flipped(golden, name, draw):
    tensor = golden[name].copy()
    single = tensor.reshape(-1).view(np.uint8)
    single[draw.integers(single.size)] ^= 1 << draw.integers(8)
    damaged = copy.copy(golden)
    damaged.tensors = golden.tensors | {name: tensor}
    return damaged


def told(judge_one, damaged):
    """Whether there is an objection; that nothing adds up any more is one."""
    try:
        return bool(judge_one(damaged))
    except Exception:
        return True


def undetected(files, judge_one, is_answer):
    """Lines for damage that nobody objects to."""
    missed, seen, changes, unsure = [], {}, 0, 0
    for kind, golden in files:
        # What is changed in a file does not hang on which others there are.
        draw = np.random.default_rng(list(golden.path.name.encode()))
        for name, tensor in golden.tensors.items():
            if tensor.size == 0:
                continue
            if is_answer(name):
                at = int(draw.integers(tensor.size))
                changes += 1
                # Where terms cancel, the witness's own roundings may reach the next number, but not far.
                for coarse in sorted({kind in COARSE, True}):
                    value = other(tensor.ravel()[at], coarse or name.endswith(".value"))
                    if told(judge_one, changed(golden, name, at, value)):
                        break
                    unsure += kind not in COARSE
                else:
                    missed.append(f"{golden.path.name}: {name}: element {at} changed to {value}: no objection")
            elif name not in UNUSED:
                # Experts' tensors have numbers, and not every expert is asked.
                key = kind, name.translate(DIGITLESS)
                seen[key] = seen.get(key) or any(told(judge_one, flipped(golden, name, draw)) for _ in range(64))
    if unsure > changes / 200:
        missed.append(f"the next number was taken for right {unsure} times of {changes}")
    return missed + [
        f"{kind}: {name}: no file shows a flipped bit" for (kind, name), one in seen.items() if not one
    ]


def hash_misses(draw):
    """A made-up file under format 2: each of its bytes matters."""
    digits = "0" * content_hash.DIGITS
    content = b'{"__metadata__":{"content_hash":"' + digits.encode() + b'","format":"2"}}' + draw.bytes(64)
    right = content_hash.hash_of(content, digits)
    whole = content.replace(digits.encode(), right.encode())
    metadata = {"content_hash": right, "format": "2"}
    missed = content_hash.judge("whole", whole, metadata)
    for at in range(whole.index(b'"format"'), len(whole)):
        if not content_hash.judge("", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], metadata):
            missed.append(f"content hash: byte {at} flipped: no objection")
    return missed


def index_misses(path):
    """An index is held against the files beside it, entry by entry."""
    whole = json.loads(path.read_text())
    damage = {
        "a size": lambda index: index["files"][0].update(bytes=1),
        "a hash": lambda index: index["files"][-1].update(content_hash="0" * content_hash.DIGITS),
        "a hash that is missing": lambda index: index["files"][0].pop("content_hash"),
        "a case": lambda index: index["files"][0].update(case="operation=nothing"),
        "a file that is missing": lambda index: index["files"].pop(),
        "a name": lambda index: index.update(set="other"),
        "a count": lambda index: index["covers"].update(nothing=1),
    }
    missed = []
    with tempfile.TemporaryDirectory() as place:
        for file in path.parent.glob(whole["set"] + "-*.safetensors"):
            (Path(place) / file.name).symlink_to(file.resolve())
        for what, change in damage.items():
            index = copy.deepcopy(whole)
            change(index)
            (Path(place) / path.name).write_text(json.dumps(index))
            if not told(set_index.judge, Path(place) / path.name):
                missed.append(f"{path.name}: {what} changed: no objection")
    return missed


def codes_missing(files):
    """FP4 codes that no file of weights holds."""
    held = {
        int(word) >> 4 * i & 15
        for kind, golden in files
        if kind == "dequantize_fp4"
        for word in golden["B"].ravel()
        for i in range(8)
    }
    return [f"dequantize_fp4: no file holds code {code}" for code in sorted(set(range(16)) - held)]


def main(sets, independent):
    draw = np.random.default_rng(18)
    made = [open_golden(path) for path in sorted(Path(sets).glob("*.safetensors"))]
    made = [(golden.metadata["operation"], golden) for golden in made]
    others = [open_golden(path) for path in sorted(Path(independent).glob("*.safetensors"))]
    missed = undetected(made, judge.judge, lambda name: name.startswith("expected."))
    missed += [
        f"{golden.path.name}: nothing in it follows from others"
        for golden in others
        if not ANSWERS & golden.tensors.keys()
    ]
    families = [(golden.path.name.partition("_m")[0], golden) for golden in others]
    missed += undetected(families, vectors.judge, ANSWERS.__contains__)
    missed += hash_misses(draw) + codes_missing(made)
    missed += [line for path in sorted(Path(sets).glob("*.index.json")) for line in index_misses(path)]
    name = next(iter(made[0][1].tensors))
    if not frameworks.differences(made[0][1], flipped(made[0][1], name, draw)):
        missed.append("frameworks: a flipped bit of a tensor is no difference")
    for line in missed:
        print(line)
    print(
        f"{len(made)} files of sets and {len(others)} of vectors damaged; {len(missed)} times nobody objected"
    )
    return 1 if missed or not made or not others else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
