"""What stands in for a worker in the replicas of a test's cluster, and does as it is told."""

from __future__ import annotations

import asyncio
import collections
import os
from collections.abc import AsyncIterator

import ray
from prometheus_client import CollectorRegistry, Counter

from toolserver.events import Answer, Call, Event, ModelState, Progress, ReplicaState
from toolserver.faults import Fault
from toolserver.registry import Registry
from toolserver.settings import Settings

GIB = 1 << 30


@ray.remote
class Stage:
    """What tests and replicas tell each other."""

    def __init__(self) -> None:
        self._seen: collections.Counter[str] = collections.Counter()
        self._changed = asyncio.Condition()

    async def tell(self, what: str) -> None:
        async with self._changed:
            self._seen[what] += 1
            self._changed.notify_all()

    async def wait(self, what: str, times: int = 1) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._seen[what] >= times)

    async def count(self, what: str) -> int:
        return self._seen[what]


def stage() -> ray.actor.ActorHandle:
    return ray.get_actor("stage", namespace="test")


class FakeDoer:
    """The body of a call says what is done: "quick", or the name of a piece of work that takes a
    step whenever the test tells NAME/go. "break the device" is that."""

    def __init__(self, registry: Registry, counts: CollectorRegistry) -> None:
        self._models: dict[str, int] = {}
        self._registry = registry
        self._fault: Fault | None = None
        self._calls = Counter("toolserver_calls", "Calls.", registry=counts)

    async def run(self, call: Call) -> AsyncIterator[Event]:
        name, tell = call.body.decode(), stage()
        self._calls.inc()
        self._models[call.model] = self._registry.model(call.model).memory << 20
        yield Progress(0, running=True)
        if name == "break the device":
            self._fault = Fault("device_lost", "The GPU is lost.")
        elif name != "quick":
            await tell.tell.remote(f"{name}/begun")
            try:
                for step in range(1, 1000):
                    await tell.wait.remote(f"{name}/go", step)
                    await tell.tell.remote(f"{name}/step")
                    yield Progress(step / 1000, running=True)
            finally:
                tell.tell.remote(f"{name}/ended")
        yield Answer("text/plain", str(os.getpid()).encode())

    async def state(self) -> ReplicaState:
        models = tuple(ModelState(model, "loaded", size) for model, size in self._models.items())
        return ReplicaState("", "cpu", 16 * GIB, models, fault=self._fault)

    async def close(self) -> None:
        await stage().tell.remote("closed")


def make(settings: Settings, registry: Registry) -> tuple[FakeDoer, CollectorRegistry]:
    counts = CollectorRegistry()
    doer = FakeDoer(registry, counts)
    stage().tell.remote("born")
    return doer, counts
