"""Folders of golden files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator, Optional, Union

from ._case import Case, GoldenError


class Set:
    """The golden files of a folder, each opened when it is asked for."""

    def __init__(self, folder: Path, paths: list[Path]) -> None:
        self.folder = folder
        self.paths = paths

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[Case]:
        return (Case(path) for path in self.paths)

    def __getitem__(self, index: int) -> Case:
        return Case(self.paths[index])

    def __repr__(self) -> str:
        return f"<assay_golden.Set {self.folder}: {len(self)} cases>"


def open(path: Union[str, os.PathLike], operation: Optional[str] = None) -> Set:
    """Opens the golden files of a folder, in the order of their names, or one file.

    Args:
        path: the folder, or the file.
        operation: only the cases of this one, as "gemm_fp4".

    Raises:
        GoldenError: where there is no such file or folder, or no case of the operation in it.
    """
    path = Path(path)
    if path.is_dir():
        paths = sorted(path.glob("*.safetensors"))
    elif path.is_file():
        paths = [path]
    else:
        raise GoldenError(f"{path}: there is no such file or folder")
    if operation is not None:
        known = {one: Case.operation_of(one) for one in paths}
        paths = [one for one in paths if known[one] == operation]
        if not paths:
            there = ", ".join(sorted(set(known.values()))) or "none"
            raise GoldenError(f"{path}: has no case of operation {operation}; it has {there}")
    if not paths:
        raise GoldenError(f"{path}: has no golden file (*.safetensors)")
    return Set(path, paths)
