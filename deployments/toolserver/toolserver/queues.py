"""Requests that wait for a device, and which is next.

Requests are served in the order in which they came, with two departures: one batch takes all
that go together with its first, and what waits for a model that is on the device goes before
what waits for one that is not. How often a request may be passed over is bounded (PASSES,
SECONDS): then its model is due.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

PASSES = 32
"""The maximum number of requests that may overtake an older one."""
SECONDS = 30.0
"""The same in seconds of device time."""


class Waiting(Protocol):
    """A request, as the queues see it."""

    @property
    def model_id(self) -> str: ...

    @property
    def order(self) -> int:
        """Grows from request to request."""
        ...


J = TypeVar("J", bound=Waiting)


@dataclass(eq=False)
class _Queue(Generic[J]):
    jobs: list[J]
    passes: int = 0
    seconds: float = 0.0

    @property
    def oldest(self) -> int:
        return self.jobs[0].order

    @property
    def due(self) -> bool:
        return self.passes >= PASSES or self.seconds >= SECONDS


class Queues(Generic[J]):
    """One queue for each model."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue[J]] = {}

    def __len__(self) -> int:
        return sum(len(q.jobs) for q in self._queues.values())

    def __iter__(self) -> Iterator[J]:
        return (j for q in self._queues.values() for j in q.jobs)

    def add(self, job: J) -> None:
        self._queues.setdefault(job.model_id, _Queue([])).jobs.append(job)

    def remove(self, job: J) -> bool:
        """False if it is not waiting (any more)."""
        queue = self._queues.get(job.model_id)
        if queue is None or job not in queue.jobs:
            return False
        self._keep(job.model_id, [j for j in queue.jobs if j is not job])
        return True

    def remove_all(self, model: str) -> list[J]:
        queue = self._queues.pop(model, None)
        return queue.jobs if queue else []

    def wanted(self, model: str) -> bool:
        return model in self._queues

    def models(self) -> list[str]:
        """Models that requests wait for, the one with the oldest request first."""
        return sorted(self._queues, key=lambda m: self._queues[m].oldest)

    def due(self, model: str) -> bool:
        """Whether its first request was passed over for long enough."""
        queue = self._queues.get(model)
        return queue is not None and queue.due

    def order(self, warm: Collection[str], last: str | None = None) -> list[str]:
        """The models that requests wait for, in the order in which to serve them: those that are due, then the
        one that ran last (so that it is finished and can be dropped), then by age."""
        return sorted(
            (m for m in self._queues if m in warm),
            key=lambda m: (not self._queues[m].due, not self._queues[m].due and m != last, self._queues[m].oldest),
        )

    def take(self, model: str, limit: int, key: Callable[[J], Hashable | None]) -> list[J]:
        """The first request for the model, and up to limit others that go into its batch."""
        queue = self._queues[model]
        first = queue.jobs[0]
        batch = [first]
        if limit > 1 and len(queue.jobs) > 1 and (wanted := key(first)) is not None:
            for job in queue.jobs[1:]:
                if len(batch) >= limit:
                    break
                if key(job) == wanted:
                    batch.append(job)
        self._keep(model, [j for j in queue.jobs if j not in batch])
        for other in self._queues.values():
            if other is not queue and other.oldest < first.order:
                other.passes += len(batch)
        return batch

    def passed(self, order: int, seconds: float) -> None:
        """Records how long the device worked for the request with that order."""
        for queue in self._queues.values():
            if queue.oldest < order:
                queue.seconds += seconds

    def _keep(self, model: str, jobs: list[J]) -> None:
        queue = self._queues[model]
        if not jobs:
            del self._queues[model]
        elif jobs[0] is not queue.jobs[0]:  # another request is first now, which was not passed over yet
            queue.passes, queue.seconds = 0, 0.0
        queue.jobs = jobs
