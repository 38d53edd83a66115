"""What the tests share: the tiny models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from toolserver.work import Loaded

from . import tiny


@pytest.fixture(scope="session")
def tiny_cache(request: pytest.FixtureRequest) -> Path:
    """Where snapshots of tiny models are kept from one run to the next."""
    return request.config.cache.mkdir("tiny")


@pytest.fixture(scope="session")
def tiny_models(tiny_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all of them as settings.weights wants it, and their models.yaml in it."""
    out = tmp_path_factory.mktemp("models")
    tiny.link_all(out, tiny_cache)
    return out


@pytest.fixture(scope="session")
def tiny_folder(tiny_cache: Path) -> Callable[[str], Path]:
    """tiny_folder("tiny/x") is the folder of that model's snapshot. It is shared: copy it before
    you change a file of it."""
    return lambda model: tiny.cached(tiny_cache, model)


@pytest.fixture(scope="session")
def loaded(tiny_cache: Path) -> Callable[[str], Loaded]:
    """loaded("tiny/x") is that model, loaded by its family on the CPU in float32, once in a run."""
    known: dict[str, Loaded] = {}

    def load(model: str) -> Loaded:
        if model not in known:
            known[model] = tiny.load_tiny(model, tiny_cache)
        return known[model]

    return load
