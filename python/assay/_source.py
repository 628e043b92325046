"""Texts of kernels: files, or strings with the place in the caller's file where they stand."""

from __future__ import annotations

import math
import os
import re
import sys
from pathlib import Path
from typing import Any, Mapping, Optional, Union

import numpy as np

_PACKAGE = str(Path(__file__).parent) + os.sep


def caller() -> Optional[str]:
    """The file of the nearest caller outside of this package."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE):
            return name if os.path.isfile(name) else None
        frame = frame.f_back
    return None


def text(string: str, name: str, within: Optional[str] = None) -> dict[str, Any]:
    """A text, and what reports call it: the line of `within` where it stands word for word, else `name`."""
    if within and string.strip():
        try:
            written = Path(within).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            written = ""
        at = written.find(string)
        if at >= 0 and written.find(string, at + 1) < 0:
            near = os.path.relpath(within)
            return {
                "text": string,
                "name": within if near.startswith("..") else near,
                "first_line": written.count("\n", 0, at) + 1,
            }
    return {"text": string, "name": name, "first_line": 1}


NO_TEXT = {"text": "", "name": "", "first_line": 1}


def is_file(source: Union[str, os.PathLike]) -> bool:
    """Whether a source is the path of a file rather than a text."""
    if isinstance(source, os.PathLike):
        return True
    return "\n" not in source and "{" not in source and source.endswith((".metal", ".h", ".txt"))


def of(
    source: Union[str, os.PathLike],
    function: Optional[str],
    *,
    defines: Optional[dict[str, Any]] = None,
    include_dirs: Any = (),
    constants: Optional[dict[Any, Any]] = None,
    mlx: Optional[dict[str, Any]] = None,
    within: Optional[str] = None,
) -> dict[str, Any]:
    """The source of a kernel as the worker takes it."""
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a kernel's source is a text or a path, not {type(source).__name__}")
    for what, given in (("defines", defines), ("constants", constants)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{what} is a dictionary, not {type(given).__name__}")
    for key in defines or {}:
        if not isinstance(key, str) or not re.fullmatch(r"[A-Za-z_]\w*(\([\w, .]*\))?", key):
            raise ValueError(f"{key!r} is no name that can be defined")
    if not isinstance(include_dirs, (list, tuple)):
        raise TypeError("include_dirs is a list of folders")
    for key, value in (defines or {}).items():
        if "\n" in f"{key}{value}":
            raise ValueError(f"the definition of {key!r} goes over more than a line")
    path = os.fspath(source) if is_file(source) else ""
    shown = f"{function or 'kernel'}.metal"
    return {
        "function": function or "",
        "file": path,
        "text": NO_TEXT if path else text(str(source), shown, within),
        "defines": {key: "" if value is None else _literal(value, f"the definition {key}") for key, value in (defines or {}).items()},
        "include_dirs": [os.fspath(one) for one in include_dirs],
        "constants": {str(key): _literal(value, f"function constant {key}") for key, value in (constants or {}).items()},
        "mlx": mlx,
    }


def beside(source: dict[str, Any], folder: str) -> dict[str, Any]:
    """The same with its file as it is called from that folder, so that reports show what a reader there would type."""
    if not source["file"]:
        return source
    path = os.path.abspath(source["file"])
    near = os.path.relpath(path, folder)
    return {**source, "file": path if near.startswith("..") else near}


def _literal(value: Any, called: str) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (str, int, float)):
        raise TypeError(f"the value of {called} is a number, not {type(value).__name__}")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise ValueError(f"the value of {called} is {value}, which no whole number of Metal holds")
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise ValueError(f"the value of {called} is NaN, which no text has a literal for")
        return "1e999f" if value > 0 else "-1e999f"  # past the largest: infinity
    return value if isinstance(value, str) else repr(value)
