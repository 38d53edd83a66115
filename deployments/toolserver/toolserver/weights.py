"""Where the files of a model come from, and whether they are whole.

They lie in a folder of the operator's (TOOLSERVER_WEIGHTS, org/model in it), or are fetched from
the hub into its cache, but for those that were converted (TOOLSERVER_CONVERTED, org/model in it).
What is fetched and read are weights as safetensors, and texts: never pickles, which can run
programs.

Before a model is loaded each of its safetensors files is held against its own header, and each
index against the files that it names, so that a download that broke off is told by its name and
is no strange error of a library. (The format: 8 bytes with the length of the header, the header
as JSON with the place of each tensor, the tensors. https://huggingface.co/docs/safetensors)
"""

from __future__ import annotations

import errno
import json
import logging
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Protocol

import httpx
import huggingface_hub
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from .faults import Fault
from .registry import Companion, Model

log = logging.getLogger(__name__)

FILES = ("*.safetensors", "*.json", "*.txt", "*.model", "*.jinja")
"""What models consist of: weights, configurations and vocabularies, merges, SentencePiece,
forms of chats."""
NEVER = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle", "*.h5", "*.msgpack", "*.npy", "*.npz", "*.py")
"""Pickles, other formats of the same weights, and programs."""

_MOST_HEADER = 100_000_000
"""The safetensors library's limit, in bytes."""


class Download(Protocol):
    """huggingface_hub.snapshot_download, as far as it is used."""

    def __call__(self, repo_id: str, *, revision: str, allow_patterns: list[str], ignore_patterns: list[str]) -> str: ...


@dataclass(frozen=True)
class Files:
    """Where they are."""

    folder: Path
    companions: Mapping[str, Path] = field(default_factory=dict)


class Weights:
    """The source of all models."""

    def __init__(
        self, folder: Path | None = None, download: Download = huggingface_hub.snapshot_download, converted: Path | None = None
    ) -> None:
        """folder is settings.weights; None is the hub. converted is settings.converted."""
        self._folder, self._download, self._converted = folder, download, converted
        self._known: dict[tuple[str, str], Path] = {}

    def find(self, model: Model) -> Files:
        """The files of the model and of its companions, fetched where they are not here, and
        checked. It takes as long as that; several threads may call it. Raises Fault."""
        return Files(self._one(model), {what: self._one(companion) for what, companion in model.companions.items()})

    def _one(self, model: Model | Companion) -> Path:
        if self._converted is not None and (self._converted / model.id).is_dir():
            check(self._converted / model.id, model.id, model.files)
            return self._converted / model.id
        how = model.convert if isinstance(model, Model) else None
        if how and (self._folder is None or not (self._folder / model.id).is_dir()):
            raise Fault("weights_missing", f"The hub has {model.id} in no form that is read here. {_conversion(model.id, how)}")
        if self._folder is not None:
            folder = self._folder / model.id
            if not folder.is_dir():
                raise Fault(
                    "weights_missing", f"The weights of {model.id} are not there: put its snapshot into the weights folder as {model.id}."
                )
            check(folder, model.id, model.files)
            return folder
        known = self._known.get((model.id, model.revision))
        folder = known if known is not None and known.is_dir() else self._fetch(model)
        check(folder, model.id, model.files)
        self._known[model.id, model.revision] = folder
        return folder

    def _fetch(self, model: Model | Companion) -> Path:
        try:
            return Path(
                self._download(
                    model.id,
                    revision=model.revision,
                    allow_patterns=model.files or list(FILES),
                    ignore_patterns=list(NEVER),
                )
            )
        except Exception as err:
            log.warning("%s could not be fetched: %s: %s", model.id, type(err).__name__, (str(err).splitlines() or [""])[0])
            raise _fault(err, model.id) from err


def _conversion(name: str, how: str) -> str:
    """By which command its folder is made."""
    if how.endswith(".py"):
        return f"diffusers' {how} makes its folder, {name} in TOOLSERVER_CONVERTED; README.md has the command."
    source = name.partition("/")[2]
    return (
        f"Fetch it (hf download {name} --local-dir {source}), and make its folder: "
        f"python -m toolserver.convert_published {how} {source} $TOOLSERVER_CONVERTED/{name}"
    )


def _fault(err: Exception, name: str) -> Fault:
    """Why the hub did not give it."""
    if isinstance(err, LocalEntryNotFoundError) and isinstance(err.__cause__, HfHubHTTPError):
        err = err.__cause__  # it is not here, since it could not be had there
    if isinstance(err, GatedRepoError):
        return Fault("weights_missing", f"The hub keeps {name} for those who agreed to its terms: agree to them, and set HF_TOKEN.")
    if isinstance(err, RepositoryNotFoundError):
        return Fault("weights_missing", f"The hub has no model {name}, or shows it to its owners alone (HF_TOKEN).")
    if isinstance(err, RevisionNotFoundError):
        return Fault("weights_missing", f"The hub has {name}, but not in the revision that models.yaml names.")
    if isinstance(err, OfflineModeIsEnabled) or (isinstance(err, LocalEntryNotFoundError) and _offline()):
        return Fault("weights_missing", f"{name} is not in the cache of the hub, and HF_HUB_OFFLINE keeps it from being fetched.")
    if isinstance(err, HfHubHTTPError) and err.response is not None and err.response.status_code in (401, 403, 404):
        return Fault("weights_missing", f"The hub refuses {name} with status {err.response.status_code}: check HF_TOKEN and its rights.")
    if isinstance(err, OSError) and err.errno in (errno.ENOSPC, errno.EDQUOT):
        return Fault("weights_missing", f"The disk is full, so that {name} could not be fetched: make room in HF_HOME.")
    if isinstance(err, OSError) and err.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return Fault("weights_missing", f"The cache of the hub cannot be written, so that {name} could not be fetched: check HF_HOME.")
    if isinstance(err, httpx.HTTPError | HfHubHTTPError | LocalEntryNotFoundError | OSError):
        return Fault("hub_unreachable", f"The hub could not be reached for {name}: is there a way to it?")
    return Fault("weights_missing", f"{name} could not be fetched from the hub; the server's log says where that failed.")


def _offline() -> bool:
    return bool(huggingface_hub.constants.HF_HUB_OFFLINE)


def check(folder: Path, name: str, patterns: Sequence[str] = ()) -> None:
    """Whether a snapshot is whole: raises Fault (weights_missing, weights_damaged). patterns are
    those of the model's files: where there are some, parts may be left out on purpose."""
    shards = [p for p in sorted(folder.rglob("*.safetensors")) if not patterns or _matches(p.relative_to(folder), patterns)]
    if not shards:
        raise Fault(
            "weights_missing",
            f"{name} has no weights as safetensors: other formats are not loaded. Those of a transformers model are made by "
            "python -m toolserver.convert_published folder SOURCE $TOOLSERVER_CONVERTED/" + name,
        )
    tensors = {path: _header(path, name) for path in shards}
    for path in sorted(folder.rglob("*.json")):
        if not patterns or _matches(path.relative_to(folder), patterns):
            told = _json(path, name)
            if path.name.endswith(".safetensors.index.json"):
                _index(path, told, tensors, name)
    if not patterns and (folder / "model_index.json").is_file():
        _parts(folder, _json(folder / "model_index.json", name), name)


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatch(path.as_posix(), p + "*" if p.endswith("/") else p) for p in patterns)


def _damaged(name: str, what: str) -> Fault:
    return Fault("weights_damaged", f"{name}: {what} Delete it, and fetch it again.")


def _json(path: Path, name: str) -> object:
    try:
        told: object = json.loads(path.read_bytes())
        return told
    except (OSError, ValueError):
        raise _damaged(name, f"{path.name} cannot be read as JSON.") from None


def _header(path: Path, name: str) -> frozenset[str]:
    """The names of its tensors. Reads the header alone, and holds it against the file's length."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = struct.unpack("<Q", file.read(8))[0]
            if length > min(_MOST_HEADER, size - 8):
                raise _damaged(name, f"{path.name} breaks off within its header.")
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        ends = sorted(tuple(told["data_offsets"]) for told in header.values())
    except (OSError, ValueError, struct.error, KeyError, TypeError, AttributeError):
        raise _damaged(name, f"{path.name} is no safetensors file, or breaks off at its begin.") from None
    reached = 0
    for begin, end in ends:
        if begin != reached or end < begin:
            raise _damaged(name, f"{path.name} has a wrong header.")
        reached = end
    if size != 8 + length + reached:
        raise _damaged(name, f"{path.name} has {size} bytes where its header tells of {8 + length + reached}.")
    return frozenset(header)


def _index(path: Path, told: object, tensors: Mapping[Path, frozenset[str]], name: str) -> None:
    """Whether the files that an index names are there, with the tensors that they should have."""
    listed = told.get("weight_map") if isinstance(told, dict) else None
    if not isinstance(listed, dict) or not all(isinstance(shard, str) for shard in listed.values()):
        raise _damaged(name, f"{path.name} is no index.")
    places = {tensor: path.parent / shard for tensor, shard in listed.items()}
    named = set(places.values())
    if not named & tensors.keys() and any(p.parent == path.parent for p in tensors):
        return  # the index of a variant (as fp16) whose files were not asked for
    if missing := sorted(p.name for p in named - tensors.keys()):
        raise Fault("weights_missing", f"{name}: {missing[0]} is missing, one of {len(missing)} that the index names.")
    for tensor, shard in places.items():
        if tensor not in tensors[shard]:
            raise _damaged(name, f"{shard.name} lacks what {path.name} says it has.")


def _parts(folder: Path, told: object, name: str) -> None:
    """Whether the parts that a pipeline of diffusers consists of are there."""
    if not isinstance(told, dict):
        raise _damaged(name, "model_index.json is not of a pipeline.")
    for part, made_of in told.items():
        if isinstance(made_of, list) and made_of and made_of[0] is not None and not (folder / part).is_dir():
            raise Fault("weights_missing", f"{name}: the part {part} is missing, which model_index.json names.")
