"""One replica: it reads a request, has it done by the engine, and writes the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

from .events import Answer, Call, Event, Failed, Progress, ReplicaState
from .faults import Fault
from .registry import Registry
from .settings import Settings
from .work import Request


class Engine(Protocol):
    """What a worker needs of the device: engine.Engine."""

    def run(self, model: str, request: Request) -> AsyncIterator[Any]:
        """Progress any number of times, and at the end the result. Closing it calls the work
        off. It raises faults.Fault."""

    def state(self) -> ReplicaState:
        """What it has and does. It does not wait."""


class Worker:
    """Does requests on one device. It is made and used in one event loop."""

    def __init__(self, settings: Settings, registry: Registry, engine: Engine) -> None:
        self._settings, self._registry, self._engine = settings, registry, engine

    async def run(self, call: Call) -> AsyncIterator[Event]:
        """Does one request (see workers.Workers)."""
        raise NotImplementedError
        yield

    async def state(self) -> ReplicaState:
        """What the replica tells of itself."""
        return self._engine.state()

    async def close(self) -> None:
        """Waits for nothing any more; what runs is called off by who asked for it."""
