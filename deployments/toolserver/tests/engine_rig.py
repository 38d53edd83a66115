"""An engine with models of a fake family, which do what a test says, on a device that a test
plays. Nothing here waits for time to go by."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from toolserver import families
from toolserver.engine import Engine
from toolserver.events import Progress
from toolserver.faults import Fault
from toolserver.registry import Model, Registry
from toolserver.settings import Settings
from toolserver.work import Place, Request, Step

MIB = 1 << 20
TASK = "text-to-image"
LIMIT = 60
"""Seconds after which a test that waits in vain fails."""


def model(name: str, memory: int = 10, **more: Any) -> Model:
    """An entry; options.weights is how many MiB it truly has (memory is what it claims)."""
    entry = {"id": f"fake/{name}", "licence": "MIT", "family": "fake", "tier": "minimal", "tasks": [TASK], "seconds": 1}
    return Model.model_validate(entry | {"memory": memory, "options": {"weights": memory}} | more)


class FakeDevice:
    """A CPU that tells of memory as a GPU does."""

    name = "cpu"
    title = "a fake"

    def __init__(self) -> None:
        self.peaks: list[int] = []
        """What the next runs are seen to take."""
        self.cleared = 0
        self.healthy = False

    def free(self) -> int:
        return 1 << 40

    def allocated(self) -> int:
        return 0

    def watch(self) -> None:
        pass

    def peak(self) -> int:
        return self.peaks.pop(0) if self.peaks else 0

    def clear(self) -> None:
        self.cleared += 1

    def works(self) -> bool:
        return self.healthy

    def here(self) -> AbstractContextManager[object]:
        return nullcontext()


class Gate:
    """Holds a thread until it is opened, and tells when one is there."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._there = asyncio.Event()
        self._open = threading.Event()

    def __call__(self) -> None:
        """In the thread."""
        self._loop.call_soon_threadsafe(self._there.set)
        assert self._open.wait(LIMIT), "nobody opened the gate"

    async def reached(self) -> None:
        await asyncio.wait_for(self._there.wait(), LIMIT)

    def open(self) -> None:
        self._open.set()


class FakeLoaded:
    def __init__(self, rig: Rig, described: Model) -> None:
        self.rig, self.model = rig, described
        self.module = torch.nn.Module()
        self.module.weight = torch.nn.Parameter(torch.empty(described.options["weights"] * MIB // 4))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.module]

    def key(self, request: Request) -> Any:
        return self.rig.key(request)

    def run(self, requests: Sequence[Request], step: Step) -> list[Any]:
        inputs = [r.inputs for r in requests]
        self.rig.runs.append((self.model.id.removeprefix("fake/"), inputs))
        return self.rig.do(self.model, inputs, step)


class Rig:
    """The engine, what it did, and what its models are to do."""

    def __init__(
        self,
        folder: Path,
        models: Iterable[Model],
        memory: int = 100,
        device: FakeDevice | None = None,
        weights: Any = None,
        lost: Callable[[], None] = lambda: None,
        **settings: Any,
    ) -> None:
        self.models = list(models)
        self.now = 0.0
        self.loads: list[str] = []
        """Begun."""
        self.runs: list[tuple[str, list[Any]]] = []
        """Begun, with their inputs."""
        self.loading: Callable[[Model, Place], None] = lambda described, place: None
        self.key: Callable[[Request], Any] = lambda request: request.parameters.get("width", 0)
        self.do: Callable[[Model, list[Any], Step], list[Any]] = lambda described, inputs, step: [f"done {i}" for i in inputs]
        self.device = device or FakeDevice()
        for one in self.models:
            for name in (one.id, *(c.id for c in one.companions.values())):
                (folder / name).mkdir(parents=True, exist_ok=True)
                save_file({"w": torch.zeros(1)}, folder / name / "model.safetensors")
        self.engine = Engine(
            Settings(weights=folder, memory=memory, **settings),
            Registry(self.models),
            self.device,
            weights=weights,
            clock=lambda: self.now,
            lost=lost,
        )

    def load(self, described: Model, place: Place) -> FakeLoaded:
        self.loads.append(described.id.removeprefix("fake/"))
        self.loading(described, place)
        return FakeLoaded(self, described)

    async def events(self, name: str, inputs: Any = "x", **parameters: Any) -> list[Any]:
        return [e async for e in self.engine.run(f"fake/{name}", Request(TASK, inputs, parameters))]

    async def ask(self, name: str, inputs: Any = "x", **parameters: Any) -> Any:
        """The result, or the fault."""
        try:
            return (await self.events(name, inputs, **parameters))[-1]
        except Fault as fault:
            return fault

    def start(self, name: str, inputs: Any = "x", **parameters: Any) -> asyncio.Task[Any]:
        return asyncio.create_task(self.ask(name, inputs, **parameters))

    async def settled(self) -> None:
        """All that can go on without a thread went on."""
        for _ in range(20):
            await asyncio.sleep(0)

    def loaded(self) -> list[str]:
        return sorted(m.model.removeprefix("fake/") for m in self.engine.state().models if m.state == "loaded")

    def count(self, metric: str, **labels: str) -> float:
        return self.engine.metrics.registry.get_sample_value(metric, labels) or 0


async def until(told: Callable[[], bool]) -> None:
    """Lets everything go on until that is so."""
    async with asyncio.timeout(LIMIT):
        while not told():  # noqa: ASYNC110 - it looks at what a thread does, and tests alone want to know
            await asyncio.sleep(0)


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """rig([model("a"), …], memory=MiB) is a Rig, closed in the end."""
    made: list[Rig] = []

    def make(models: Iterable[Model], **more: Any) -> Rig:
        made.append(Rig(tmp_path, models, **more))
        return made[-1]

    def find(name: str) -> Any:
        return SimpleNamespace(TASKS=frozenset({TASK}), load=made[-1].load)

    monkeypatch.setattr(families, "find", find)
    yield make
    for one in made:
        await one.engine.close()


def is_waiting(event: Any) -> bool:
    return isinstance(event, Progress) and not event.running
