"""Requests that are being done, and results that are kept until the client asks for them.

    Work     one request on its way through the workers
    Jobs     the works that took too long to be waited for: they have an id that nobody guesses

All of it is used in one event loop.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Literal, cast

from .events import Answer, Call, Failed
from .faults import Fault
from .workers import Workers

log = logging.getLogger(__name__)

Status = Literal["queued", "running", "done", "failed", "cancelled"]

KEPT_BYTES = 512 << 20
"""The maximum size of all results together. The newest is always kept."""


class Work:
    """A request in progress. It starts at once, in the running event loop."""

    def __init__(
        self,
        workers: Workers,
        call: Call,
        expected: float,
        release: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """expected is about how many seconds it takes. release is called once when it has ended, whatever
        the outcome."""
        self.model, self.task = call.model, call.task
        self.status: Status = "queued"
        self.progress = 0.0
        self.preview: bytes | None = None
        self.answer: Answer | None = None
        self.fault: Fault | None = None
        self.asked = self.began = clock()
        self.ended: float | None = None
        self._expected, self._clock, self._release = expected, clock, release
        self._started: float | None = None
        self._running = asyncio.create_task(self._run(workers, call))
        self._running.add_done_callback(self._over)

    @property
    def over(self) -> bool:
        return self.status in ("done", "failed", "cancelled")

    @property
    def size(self) -> int:
        return len(self.answer.body) if self.answer else 0

    async def wait(self, seconds: float | None = None) -> bool:
        """Whether it ends within the seconds."""
        await asyncio.wait([self._running], timeout=seconds)
        return self.over

    def cancel(self) -> None:
        """Cancels it, if it has not ended. It ends a little later."""
        if not self.over:
            self.status = "cancelled"
            self._running.cancel()

    def estimate(self) -> float:
        """About how many seconds it still needs: judged by its progress, once there is enough."""
        if self.over:
            return 0.0
        left = 1 - self.progress
        if self._started is None:
            return self._expected
        took = self._clock() - self._started
        return took * left / self.progress if self.progress >= 0.05 else max(self._expected - took, 1.0)

    def told(self) -> dict[str, Any]:
        """Its progress, as the client is told."""
        body: dict[str, Any] = {"status": self.status, "progress": round(self.progress, 4)}
        if not self.over:
            body["estimated_time"] = round(self.estimate(), 1)
            if self.preview:
                body["preview"] = base64.b64encode(self.preview).decode()
        if self.fault:
            body["error"] = {"code": self.fault.code, "message": self.fault.message}
        return body

    async def _run(self, workers: Workers, call: Call) -> None:
        async with aclosing(cast("AsyncGenerator[Any, None]", workers.run(call))) as events:
            async for event in events:
                match event:
                    case Answer():
                        self.answer = event
                    case Failed():
                        self.fault = event.fault
                    case _:
                        if event.running and self._started is None:
                            self._started = self._clock()
                        if not self.over:
                            self.status = "running" if self._started is not None else "queued"
                        self.progress = max(self.progress, min(event.done, 1.0))
                        self.preview = event.preview or self.preview

    def _over(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (err := task.exception()):
            log.error("%s failed at %s: %s", self.model, self.task, type(err).__name__)
            self.fault = Fault("model_failed", "The server failed at this.")
        self.ended, self.preview = self._clock(), None
        if self.status == "cancelled" or task.cancelled():
            self.status, self.answer, self.fault = "cancelled", None, None
        elif self.answer is not None and self.fault is None:
            self.status, self.progress = "done", 1.0
        else:
            self.status, self.answer = "failed", None
            self.fault = self.fault or Fault("replica_lost", "The replica that worked on this is gone.", retry_after=10)
        self._release()


class Jobs:
    """Jobs that clients ask for. Results are kept for a while, and up to a number of bytes; the oldest go
    first. A job that nobody asks for any more is cancelled."""

    def __init__(self, keep: float, most: int = KEPT_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._keep, self._most, self._clock = keep, most, clock
        self._works: dict[str, Work] = {}

    def __len__(self) -> int:
        return len(self._works)

    def add(self, work: Work) -> str:
        """Adds a job, and returns its id."""
        self.sweep()
        name = secrets.token_urlsafe(24)
        work.asked = self._clock()
        self._works[name] = work
        return name

    def find(self, name: str) -> Work:
        """The job of that id, for a client that asks for it."""
        self.sweep()
        try:
            work = self._works[name]
        except KeyError:
            raise Fault("unknown_job", "There is no such job: it is done with, or the server was started anew.") from None
        work.asked = self._clock()
        return work

    def drop(self, name: str) -> Work:
        """Cancels a job. If it has ended, its result is deleted."""
        work = self.find(name)
        if work.over and work.status != "cancelled":
            del self._works[name]
        work.cancel()
        return work

    def counts(self) -> dict[Status, int]:
        """How many jobs have each status."""
        counts: dict[Status, int] = dict.fromkeys(("queued", "running", "done", "failed", "cancelled"), 0)
        for work in self._works.values():
            counts[work.status] += 1
        return counts

    def sweep(self) -> None:
        """Deletes results that are too old or too many."""
        now = self._clock()
        for name, work in list(self._works.items()):
            if work.ended is not None and now - work.ended >= self._keep:
                del self._works[name]
            elif not work.over and now - work.asked >= self._keep:
                work.cancel()
        ended = sorted((work.ended, name) for name, work in self._works.items() if work.ended is not None)
        total = sum(work.size for work in self._works.values())
        for _, name in ended[:-1]:
            if total <= self._most:
                break
            total -= self._works.pop(name).size

    def close(self) -> None:
        """Cancels all jobs."""
        for work in self._works.values():
            work.cancel()
        self._works.clear()
