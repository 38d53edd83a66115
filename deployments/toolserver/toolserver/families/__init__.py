"""A file for each family of models: which tasks, how they are loaded, how they are run.

A family is found by the name of its file, and imported when its first model is loaded. It
offers what work.Family says.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from ..work import Family


def find(name: str) -> Family:
    """The family of that name (registry.Model.family). Raises ValueError if there is none."""
    try:
        return cast("Family", import_module(f"{__name__}.{name}"))
    except ModuleNotFoundError as err:
        if err.name != f"{__name__}.{name}":
            raise
        raise ValueError(f"there is no family {name!r}") from None
