"""A replica: it reads a request, lets the engine do it, and writes the answer.

What is read lies in bounded memory: a request whose picture, sound or video would not fit
waits before it is read. Files are read and written by a few threads of the worker's own, so
that nothing else in the process stands still for it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any, Protocol, TypeVar

from . import write
from .events import Answer, Call, Event, Failed, Progress, ReplicaState
from .faults import Cancelled, Fault
from .origin import origin
from .read import Reader
from .registry import Registry
from .room import Room
from .settings import Settings
from .tasks import TASKS
from .work import Request

T = TypeVar("T")

log = logging.getLogger(__name__)

DECODED = 24
"""The most bytes of requests that were read but not done, for each of settings.max_pixels: six such
pictures, which are 1.5 GB by default."""
THREADS = 4
MORE = 32
"""The number of further requests that may be read or written at the same time."""


class Engine(Protocol):
    """What a worker needs from the device (engine.Engine)."""

    def run(self, model_id: str, request: Request, meter: Callable[[float], None] = ...) -> AsyncGenerator[Any, None]:
        """Yields Progress any number of times, and then the result. Closing it cancels the work. Raises
        faults.Fault. meter is called with the seconds that the device worked for it."""

    def state(self) -> ReplicaState:
        """Its state. It does not wait."""

    async def close(self) -> None:
        """Ends all requests, and releases the device."""


class Worker:
    """Does requests on one device. It is used in one event loop."""

    def __init__(self, settings: Settings, registry: Registry, engine: Engine) -> None:
        self._settings, self._registry, self._engine = settings, registry, engine
        self._calls = 0
        self._reader = Reader(settings)
        self._room = Room(DECODED * settings.max_pixels)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="media")

    async def run(self, call: Call) -> AsyncIterator[Event]:
        """Does one request (see workers.Workers)."""
        self._calls += 1
        try:
            if self._calls > self._settings.max_waiting + MORE:
                raise Fault("too_busy", "Too many requests wait already; ask again later.", retry_after=10)
            async with aclosing(self._run(call)) as events:
                async for event in events:
                    yield event
        except Fault as fault:
            yield Failed(fault)
        except Exception as err:
            # the message of an exception may contain input: only its origin is logged
            log.error("%s failed at %s: %s", call.model, call.task, origin(err))
            yield Failed(Fault("model_failed", "The server failed at this; its log says where."))
        finally:
            self._calls -= 1

    async def _run(self, call: Call) -> AsyncGenerator[Event, None]:
        model = self._registry.model(call.model)
        if call.task not in TASKS or call.task not in model.tasks:
            raise Fault("unknown_task", "The model does not do that task.")
        weight = await self._thread(lambda _: self._reader.weight(call.task, call.body))
        async with self._room.of(weight):
            request = await self._thread(lambda check: self._reader.request(call.task, call.content_type, call.body, check))
            result: Any = None
            metered: list[float] = []
            async with aclosing(self._engine.run(call.model, request, metered.append)) as events:
                async for event in events:
                    if isinstance(event, Progress):
                        yield event
                    else:
                        result = event
            kind, body = await self._thread(lambda _: write.answer(call.task, result, call.accept))
        yield Answer(kind, body, sum(metered))

    async def state(self) -> ReplicaState:
        """The state of the replica."""
        return self._engine.state()

    async def close(self) -> None:
        """Ends its threads and the engine."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self._engine.close()

    async def _thread(self, do: Callable[[Callable[[], None]], T]) -> T:
        """Does it in a thread, which is stopped (faults.Cancelled) when this is cancelled."""
        stop = threading.Event()

        def check() -> None:
            if stop.is_set():
                raise Cancelled

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, do, check)
        finally:
            stop.set()
