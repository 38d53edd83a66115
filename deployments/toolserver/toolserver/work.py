"""The interface of a family of models. Read this to add a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import torch
    from PIL import Image

    from .registry import Model


@dataclass(frozen=True)
class Sound:
    """Samples between -1 and 1: frames, or channels by frames."""

    samples: np.ndarray = field(repr=False)
    rate: int


@dataclass(frozen=True)
class Film:
    """RGB frames of the same size: frames by height by width by 3, of bytes."""

    frames: np.ndarray = field(repr=False)
    rate: float
    """Frames a second."""
    path: Path | None = None


@dataclass(frozen=True)
class Request:
    """A request that was read and found right (see tasks)."""

    task: str
    inputs: Any = field(repr=False)
    """By the task's input: a PIL image (RGB or RGBA, upright), a str, a Sound, a Film, or a
    dict of those by name: {"image", "question"}, {"table", "question"}."""
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What the task's parameters became: pictures are PIL images, masks are PIL images of
    mode L in the size of the picture, and a parameter that was not given is not there."""


# What run may return for each request: a PIL image, a Sound, a list of (label, Sound), a
# Film, or what JSON can hold (in which a PIL image is written as PNG in Base64).
Result = Any


class Step(Protocol):
    """What a family calls while it works: between the steps of a sampler, the tokens of a
    text, the parts of a recording."""

    def __call__(self, done: float, preview: Callable[[], Sequence[Image.Image]] | None = None) -> None:
        """Tells how far the batch is, from 0 to 1. preview draws what is made so far, small, a
        picture for each request, or none; it is called now and then. Raises faults.Cancelled when
        nobody waits for any of it any more: let that through."""


class Loaded(Protocol):
    """A model that is on the device."""

    def modules(self) -> Sequence[torch.nn.Module]:
        """All that takes memory of the device."""

    def key(self, request: Request) -> Hashable | None:
        """Requests with the same key may be run as one batch; None is run alone."""

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        """Does them in one go, one result for each, in their order. Called by one thread at a
        time, without gradients. An input that the model cannot work on is a Fault
        (invalid_input); torch's own errors are sorted by the engine."""


@dataclass(frozen=True)
class Place:
    """Where a model is loaded to."""

    folder: Path
    """Its files, as a snapshot of the hub has them."""
    device: str
    """Of torch: cuda, cuda:1, cpu."""
    dtype: torch.dtype
    """The precision that models.yaml names; float32 on a CPU."""
    companions: Mapping[str, Path] = field(default_factory=dict)
    """The files of the models that it is made of besides, by what they are: controlnet, vocoder."""


class Family(Protocol):
    """What families/__init__.py finds by its name: the module itself, with these two."""

    TASKS: frozenset[str]
    """Keys of tasks.TASKS that its models can do."""

    def load(self, model: Model, place: Place) -> Loaded:
        """Loads it from place.folder and never from anywhere else, by safetensors only. Weights
        that do not fit the architecture are an error, never filled up at random."""
