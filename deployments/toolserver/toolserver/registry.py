"""Which models there are: what models.yaml says, read and checked.

models.yaml has one entry for each model, best first for its tasks. A task's default is the
first model of the tier that is served, or of the next smaller tier that has one, so that an
operator names a tier and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from .faults import Fault
from .tasks import MODES, TASKS

Tier = Literal["minimal", "standard", "full"]
TIERS: tuple[Tier, ...] = ("minimal", "standard", "full")
"""From small to large. Each serves the models of the smaller ones too."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}$")]
"""The hub's org/model."""


def _known(task: str) -> str:
    if task not in TASKS:
        raise ValueError(f"there is no task {task!r}")
    return task


def _mode(mode: str) -> str:
    if mode not in MODES:
        raise ValueError(f"there is no map {mode!r}; there are {', '.join(MODES)}")
    return mode


class Model(BaseModel):
    """One entry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Name
    revision: Annotated[str, Field(min_length=1)] = "main"
    """A commit, a tag or a branch of the hub."""
    licence: Annotated[str, Field(min_length=1)]
    open: bool = True
    """Whether the licence lets anybody use the model for any end. One that does not is a
    default only where there is no other."""
    family: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    """The file of families/ that loads it."""
    tier: Tier
    tasks: Annotated[list[Annotated[str, AfterValidator(_known)]], Field(min_length=1)]
    modes: list[Annotated[str, AfterValidator(_mode)]] = []
    """The maps that it makes or follows (control_mode)."""
    precision: Literal["float16", "bfloat16", "float32"] = "bfloat16"
    memory: Annotated[int, Field(gt=0)]
    """MiB on the device: weights in that precision and what they work with. What is kept
    free before it is loaded."""
    seconds: Annotated[float, Field(gt=0)] = 5
    """How long a request takes about, which is told to who waits."""
    batch: Annotated[int, Field(ge=1, le=64)] = 1
    """How many requests are run in one go, at most."""
    companions: dict[str, Companion] = {}
    """Further models that it is made of, by what they are to it."""
    files: list[str] = []
    """Patterns of the files that are needed, where the hub has more than that."""
    options: dict[str, Any] = {}
    """What the family wants to know of it: steps, guidance, a size."""
    convert: str | None = None
    """How its folder is made, where the hub has it in no form that is read here: the kind of
    convert_published, or the script. Such a model is served once its folder is there."""


class Companion(BaseModel):
    """A model that another one is made with."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Name
    revision: Annotated[str, Field(min_length=1)] = "main"
    licence: Annotated[str, Field(min_length=1)]
    files: list[str] = []


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    models: Annotated[list[Model], Field(min_length=1)]

    @model_validator(mode="after")
    def _once(self) -> _File:
        ids = [m.id for m in self.models]
        if twice := sorted({i for i in ids if ids.count(i) > 1}):
            raise ValueError(f"listed twice: {', '.join(twice)}")
        return self


class Registry:
    """The models that are served."""

    def __init__(self, models: Iterable[Model], tier: Tier = "full", only: Iterable[str] = ()) -> None:
        """Keeps those of the tier and of the smaller ones; only, where it is not empty, are
        the ids of the models that are served, whatever their tier."""
        named = list(only)
        all_models = {m.id: m for m in models}
        if missing := [i for i in named if i not in all_models]:
            raise ValueError(f"there is no model {missing[0]!r} in models.yaml")
        reach = TIERS.index(tier)
        kept = [all_models[i] for i in named] if named else [m for m in all_models.values() if TIERS.index(m.tier) <= reach]
        # the largest tier first; within it in the order of the file
        self._models = {m.id: m for m in sorted(kept, key=lambda m: -TIERS.index(m.tier))}

    @property
    def models(self) -> Mapping[str, Model]:
        return self._models

    def model(self, name: str) -> Model:
        try:
            return self._models[name]
        except KeyError:
            raise Fault("unknown_model", "This server does not have that model; GET /capabilities lists those that it has.") from None

    def for_task(self, task: str, mode: str | None = None) -> list[Model]:
        """Those that do the task, the default first. Of tasks with maps, those of that map."""
        found = [m for m in self._models.values() if task in m.tasks and (mode is None or not m.modes or mode in m.modes)]
        return sorted(found, key=lambda m: not m.open)

    def default(self, task: str, mode: str | None = None, able: Callable[[Model], bool] = lambda model: True) -> Model:
        """The first that is able to; where none is, the first."""
        found = self.for_task(task, mode)
        if not found:
            of = f" for maps of the kind {mode}" if mode else ""
            raise Fault("unknown_task", f"This server has no model for {task}{of}; GET /capabilities lists what it does.")
        return next(filter(able, found), found[0])


def read(path: Path | None = None, tier: Tier = "full", only: Iterable[str] = (), folders: Sequence[Path] | None = None) -> Registry:
    """Reads models.yaml; None is the one that comes with the package. Of the models that have to
    be converted those are left out that are in none of the folders, unless only names them; None
    leaves all. A ValueError says in one line what is wrong with it."""
    text = (path or Path(__file__).with_name("models.yaml")).read_text(encoding="utf-8")
    try:
        entries = _File.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as err:
        raise ValueError(f"{path or 'models.yaml'}: {_first(err)}") from err
    named = list(only)
    there = [m for m in entries.models if not m.convert or folders is None or m.id in named or any((f / m.id).is_dir() for f in folders)]
    if not there:
        raise ValueError(f"{path or 'models.yaml'}: all of its models have to be converted first, and none is in TOOLSERVER_CONVERTED")
    return Registry(there, tier, named)


def _first(err: Exception) -> str:
    if isinstance(err, ValidationError):
        first = err.errors()[0]
        return f"{'.'.join(str(p) for p in first['loc'])}: {first['msg']}"
    return str(err).replace("\n", " ")
