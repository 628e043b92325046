"""Golden files in plain Python: `pytest python/golden/tests`, with no compiler and no Assay."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import assay_golden

SETS = Path(__file__).resolve().parents[3] / "golden" / "sets"
CASES = assay_golden.open(SETS)


def changed(path, folder, change):
    """A copy of a file with other tensors and metadata."""
    with safe_open(path, framework="numpy") as opened:
        tensors, metadata = {name: opened.get_tensor(name) for name in opened.keys()}, dict(opened.metadata())
    change(tensors, metadata)
    save_file(tensors, folder / "changed.safetensors", metadata)
    return assay_golden.open(folder / "changed.safetensors")[0]


def test_only_numpy_and_safetensors_are_needed():
    assert len(CASES) > 10
    assert not {"assay", "mlx", "torch"} & set(sys.modules)


@pytest.mark.parametrize("case", list(CASES), ids=lambda case: case.path.stem)
def test_what_is_stated_is_right_and_what_lies_beyond_is_wrong(case):
    assert case.outputs and case.inputs and case.dims
    for output in case.outputs:
        stated = case.stated(output)
        for right in (stated.best, stated.low, stated.high):
            if right is stated.best or not np.isnan(stated.best.astype(np.float64)).any():
                case.check({output: right})
        wide = stated.high.astype(np.float64)
        finite = np.isfinite(wide)
        if finite.any():
            beyond = np.where(finite, 2 * np.abs(np.where(finite, wide, 0)) + 1, stated.best)
            with pytest.raises(assay_golden.Wrong) as raised:
                case.check({output: beyond})
            assert len(raised.value.elements) == finite.sum()


def test_no_right_value_is_farther_than_the_half_width():
    for case in CASES:
        for output in case.outputs:
            stated = case.stated(output)
            for end in (stated.low, stated.high):
                ends, best = end.astype(np.float64), stated.best.astype(np.float64)
                finite = np.isfinite(ends) & np.isfinite(best)
                reach = np.abs(ends[finite] - best[finite])
                assert (reach <= stated.half_width.astype(np.float64)[finite] * (1 + 1e-6)).all()


def test_zeros_have_signs_where_the_file_says_so(tmp_path):
    case = assay_golden.open(SETS, operation="dequantize_fp4")[0]
    output = case.outputs[0]
    zeros = np.zeros_like(case.stated(output).best)

    def change(tensors, metadata):
        for name in list(tensors):
            if name.startswith("expected."):
                del tensors[name]
        tensors[f"expected.{output}"] = zeros

    made = changed(case.path, tmp_path, change)
    made.check(zeros)
    with pytest.raises(assay_golden.Wrong):
        made.check(-zeros)


def test_a_difference_can_be_read():
    all_finite = (
        one for one in assay_golden.open(SETS, operation="gemm_fp4") if np.isfinite(one.stated("C").best).all()
    )
    case = next(one for one in all_finite if one.stated("C").best.size > 1)
    output = case.outputs[0]
    stated = case.stated(output)
    got = stated.best.astype(np.float32)
    got[0, 0] = np.nan
    got[-1, -1] += 1000
    with pytest.raises(assay_golden.Wrong) as raised:
        case.check(got)
    said = str(raised.value)
    assert f"{output}: 2 of {got.size:,} elements are wrong" in said
    assert case.metadata["case"] in said and "nan" in said
    assert f"[{got.shape[0] - 1}, {got.shape[1] - 1}]" in said
    assert [tuple(one) for one in raised.value.elements] == [(0, 0), (got.shape[0] - 1, got.shape[1] - 1)]


def test_misuse_is_a_sentence(tmp_path):
    case = assay_golden.open(SETS, operation="gemm_fp4")[0]
    output = case.outputs[0]
    best = case.stated(output).best
    for work, words in (
        (lambda: assay_golden.open("no/such"), "no/such: there is no such file or folder"),
        (lambda: assay_golden.open(tmp_path), "has no golden file"),
        (lambda: assay_golden.open(SETS, operation="gemm_fp5"), "no case of operation gemm_fp5; it has .*gemm_fp4"),
        (lambda: case["Z"], "has no input Z; it has A, B, scales"),
        (lambda: case.stated("Z"), f"has no output Z; it has {output}"),
        (lambda: case.check({"Z": best}), "has no output Z"),
        (lambda: case.check({}), "nothing was passed to check"),
        (lambda: case.check(best.reshape(-1)), "has shape .*, and .* is right"),
    ):
        with pytest.raises(assay_golden.GoldenError, match=words) as raised:
            work()
        assert "\n" not in str(raised.value)


def test_damaged_files_are_a_sentence(tmp_path):
    shutil.copy(CASES[0].path, tmp_path / "cut.safetensors")
    content = (tmp_path / "cut.safetensors").read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(content[: len(content) // 2])
    with pytest.raises(assay_golden.GoldenError, match="cannot be read as safetensors"):
        assay_golden.open(tmp_path)[0]
    save_file({"x": np.zeros(1)}, tmp_path / "cut.safetensors")
    with pytest.raises(assay_golden.GoldenError, match="metadata operation: missing; this is no golden file"):
        assay_golden.open(tmp_path)[0]
    with pytest.raises(assay_golden.GoldenError, match="stands without"):
        ranged = next(one for one in CASES if any(key.endswith(".low") for key in one._tensors))
        made = changed(ranged.path, tmp_path, lambda tensors, _: [tensors.pop(k) for k in list(tensors) if k.endswith(".low")])
        made.check(next(iter(made.outputs)))
        made.stated(made.outputs[0])
