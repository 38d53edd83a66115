"""What stands in for a device and for workers: it does what a test says, when it says it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from toolserver.events import Answer, Call, Event, Failed, Progress, ReplicaState
from toolserver.registry import Model, Registry
from toolserver.settings import Settings
from toolserver.work import Request


def model(name: str, *tasks: str, **more: Any) -> Model:
    return Model(**{"id": name, "licence": "MIT", "family": "any", "tier": "minimal", "tasks": tasks, "memory": 64, **more})


MODELS = (
    model("tiny/draws", "text-to-image", "image-to-image", "image-to-image+mask"),
    model("tiny/follows", "text-to-image+control", modes=["pose", "depth"]),
    model("tiny/finds", "object-detection", seconds=30),
    model("tiny/cuts", "mask-generation"),
    model("tiny/hears", "automatic-speech-recognition"),
    model("tiny/speaks", "text-to-speech"),
    model("tiny/both", "image-classification", "zero-shot-object-detection", "text-generation"),
    model("tiny/reads", "document-question-answering"),
)


def registry(*models: Model) -> Registry:
    return Registry(models or MODELS)


def settings(**more: Any) -> Settings:
    return Settings(**more)


def png(width: int = 8, height: int = 6, mode: str = "RGB", colour: Any = 0) -> bytes:
    to = BytesIO()
    Image.new(mode, (width, height), colour).save(to, "PNG")
    return to.getvalue()


STATE = ReplicaState("r1", "CPU", budget=1 << 30)


class FakeWorkers:
    """Does each call by what do says of it; until then it waits, if it is to be held."""

    def __init__(self, do: Callable[[Call], Event] = lambda call: Answer("application/json", b"[]", 0.5), held: bool = False) -> None:
        self.do = do
        self.calls: list[Call] = []
        self.go = asyncio.Event()
        self.came = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.replicas = [STATE]
        if not held:
            self.go.set()

    async def run(self, call: Call) -> AsyncIterator[Event]:
        self.calls.append(call)
        try:
            yield Progress(0.0, running=False)
            yield Progress(0.25, running=True)
            self.came.set()
            await self.go.wait()
            yield self.do(call)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def states(self) -> list[ReplicaState]:
        return self.replicas

    async def known(self) -> list[ReplicaState]:
        return await self.states()


class FakeEngine:
    """Answers each request by what do makes of it."""

    def __init__(self, do: Callable[[Request], Any]) -> None:
        self.do = do
        self.requests: list[Request] = []
        self.go = asyncio.Event()
        self.go.set()
        self.came = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.closed = False

    async def run(self, model_id: str, request: Request, meter: Callable[[float], None] = lambda _: None) -> AsyncIterator[Any]:
        self.requests.append(request)
        try:
            yield Progress(0.0, running=False)
            self.came.set()
            await self.go.wait()
            made = self.do(request)
            meter(0.25)
            yield made
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    def state(self) -> ReplicaState:
        return STATE

    async def close(self) -> None:
        self.closed = True


def noise(seconds: float, rate: int = 16000, channels: int = 1) -> np.ndarray:
    made = np.random.default_rng(0).uniform(-0.2, 0.2, (int(seconds * rate), channels))
    return made[:, 0] if channels == 1 else made


__all__ = ["MODELS", "STATE", "Failed", "FakeEngine", "FakeWorkers", "model", "noise", "png", "registry", "settings"]
