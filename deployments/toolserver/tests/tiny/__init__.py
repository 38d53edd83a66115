"""Tiny models with random weights, of the real classes, which the tests make themselves.

Each module of this folder (those that begin with "_" are shared helpers) has

    ENTRIES: list[dict]                      entries of models.yaml, with ids tiny/NAME
    def make(folder: Path, id: str) -> None  writes that model's snapshot into folder, which is there

and make is called for the companions of its entries too, where no module has an entry of that
id. The order of ENTRIES is that of models.yaml: best first.

``python -m tests.tiny OUT`` writes them all, to be served with TOOLSERVER_WEIGHTS=OUT and
TOOLSERVER_MODELS=OUT/models.yaml.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from toolserver.registry import Model
from toolserver.work import Loaded, Place

HERE = Path(__file__).parent


def _names() -> list[str]:
    return sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")


def all_entries() -> list[dict[str, Any]]:
    """The entries of models.yaml, of all modules."""
    return [entry for name in _names() for entry in _module(name).ENTRIES]


def all_ids() -> list[str]:
    """The models and what they are made of besides, each once."""
    return list(dict.fromkeys(i for entry in all_entries() for i in _needed(entry)))


def _needed(entry: dict[str, Any]) -> list[str]:
    return [entry["id"], *(c["id"] for c in entry.get("companions", {}).values())]


def _home(model: str) -> str:
    """The module that makes it. Looks into those first whose text has the name, so that a test
    of one family does not import the classes of all."""
    likely = sorted(_names(), key=lambda n: model.encode() not in (HERE / f"{n}.py").read_bytes())
    companion = None
    for name in likely:
        for entry in _module(name).ENTRIES:
            if entry["id"] == model:
                return name
            if companion is None and model in _needed(entry):
                companion = name
    if companion is None:
        raise KeyError(f"no module of tests/tiny makes {model}")
    return companion


def entry(model: str) -> dict[str, Any]:
    """Its entry of models.yaml."""
    return next(e for e in _module(_home(model)).ENTRIES if e["id"] == model)


@contextlib.contextmanager
def _seeded(model: str) -> Iterator[None]:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(zlib.crc32(model.encode()))
        yield


def make(folder: Path, model: str) -> None:
    """Writes its snapshot: the same weights each time."""
    folder.mkdir(parents=True)
    with _seeded(model):
        _module(_home(model)).make(folder, model)


def make_all(out: Path) -> None:
    """Writes OUT/tiny/NAME for each, and OUT/models.yaml."""
    for model in all_ids():
        shutil.rmtree(out / model, ignore_errors=True)
        make(out / model, model)
    write_models(out)


def write_models(out: Path) -> None:
    (out / "models.yaml").write_text(yaml.safe_dump({"models": all_entries()}, sort_keys=False), encoding="utf-8")


def _hash(model: str) -> str:
    """Of all that the snapshot hangs on: the maker's source, the helpers', the libraries."""
    told = hashlib.sha256(model.encode())
    for path in [HERE / f"{_home(model)}.py", *sorted(HERE.glob("_*.py"))]:
        told.update(path.read_bytes())
    for library in ("torch", "transformers", "diffusers", "tokenizers", "safetensors"):
        told.update(f"{library}={version(library)}".encode())
    return told.hexdigest()[:16]


def cached(cache: Path, model: str) -> Path:
    """Its snapshot in the cache, made if it is not there or its maker has changed. Test runs
    beside each other may share the cache: a snapshot appears whole."""
    folder = cache / f"{model.replace('/', '--')}-{_hash(model)}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as made:
            make(Path(made) / "model", model)
            try:
                (Path(made) / "model").rename(folder)
            except OSError:
                if not folder.is_dir():  # else another run was faster
                    raise
        for old in cache.glob(f"{model.replace('/', '--')}-{'?' * 16}"):
            if old.stat().st_mtime < time.time() - 86400:  # a younger one may be in use beside this run
                shutil.rmtree(old, ignore_errors=True)
    return folder


def link_all(out: Path, cache: Path) -> None:
    """What make_all writes, of links into the cache."""
    for model in all_ids():
        (out / model).parent.mkdir(parents=True, exist_ok=True)
        (out / model).symlink_to(cached(cache, model).resolve(), target_is_directory=True)
    write_models(out)


def load_tiny(model: str, cache: Path) -> Loaded:
    """Loads it by its family, on the CPU in float32."""
    import torch

    from toolserver import families

    described = Model.model_validate(entry(model))
    companions = {what: cached(cache, c.id) for what, c in described.companions.items()}
    place = Place(folder=cached(cache, model), device="cpu", dtype=torch.float32, companions=companions)
    return families.find(described.family).load(described, place)
