"""The messages between the HTTP side and a replica: small, plain and pickled."""

from __future__ import annotations

from dataclasses import dataclass, field

from .faults import Fault


@dataclass(frozen=True)
class Call:
    """One request, as it came."""

    model: str
    """The hub's name of the model, which the registry has."""
    task: str
    """A key of tasks.TASKS, such as image-to-image+mask."""
    content_type: str
    accept: str
    body: bytes = field(repr=False)
    """As it was sent: users' media, which no log may show."""


@dataclass(frozen=True)
class Progress:
    """How far it is."""

    done: float
    """From 0 to 1; 0 while the model is being loaded or others are before it."""
    running: bool
    """False while it waits."""
    preview: bytes | None = field(default=None, repr=False)
    """A small JPEG of what is made so far, where there is a new one."""


@dataclass(frozen=True)
class Answer:
    """What was made."""

    content_type: str
    body: bytes = field(repr=False)
    seconds: float = 0.0
    """How long the device worked for it."""


@dataclass(frozen=True)
class Failed:
    """Why nothing was made."""

    fault: Fault


Event = Progress | Answer | Failed


@dataclass(frozen=True)
class ModelState:
    """A model in one replica."""

    model: str
    state: str
    """loading, loaded, or unavailable; a model that is not told of is loadable."""
    bytes: int = 0
    """What it takes of the device's memory: measured once loaded, before that as estimated."""
    reason: Fault | None = None
    """Why it is unavailable."""


@dataclass(frozen=True)
class ReplicaState:
    """What one replica tells of itself."""

    replica: str
    device: str
    budget: int
    """Bytes that models may take."""
    models: tuple[ModelState, ...] = ()
    waiting: int = 0
    running: int = 0
    fault: Fault | None = None
    """What ails the whole replica: a lost device."""
