"""Something to do as soon as a module is imported, without importing it now."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from typing import Any, Callable


def when_imported(name: str, act: Callable[[], None]) -> None:
    """Calls `act` when the module of that name has been imported: now, where it has been already."""
    if name in sys.modules:
        act()
    else:
        sys.meta_path.insert(0, _Finder(name, act))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, act: Callable[[], None]) -> None:
        self.name = name
        self.act = act

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            self.act()

        spec.loader.exec_module = exec_module  # of this loader alone
        return spec
