"""Who does the work that the HTTP side takes in: a worker in this process, or a cluster's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol

from .events import Call, Event, ReplicaState

if TYPE_CHECKING:
    from .worker import Worker


class Workers(Protocol):
    """What the HTTP side needs of them. cluster has the one for Ray Serve."""

    def run(self, call: Call) -> AsyncIterator[Event]:
        """Does one request: Progress any number of times, and at the end one Answer or one
        Failed. Closing it (aclose) calls the work off. It does not raise but for what nobody
        expected."""

    async def states(self) -> list[ReplicaState]:
        """What each replica tells of itself. One that does not answer is not in the list."""

    async def known(self) -> list[ReplicaState]:
        """The same, at most a little older: what a request can afford to wait for."""


class LocalWorkers:
    """One worker in this process."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def run(self, call: Call) -> AsyncIterator[Event]:
        return self._worker.run(call)

    async def states(self) -> list[ReplicaState]:
        return [await self._worker.state()]

    async def known(self) -> list[ReplicaState]:
        return await self.states()

    async def close(self) -> None:
        await self._worker.close()
