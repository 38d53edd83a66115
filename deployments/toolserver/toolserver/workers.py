"""The workers of the HTTP server: one in this process, or those of a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol

from .events import Call, Event, ReplicaState

if TYPE_CHECKING:
    from .worker import Worker


class Workers(Protocol):
    """What the HTTP server needs from workers. Those of Ray Serve are in cluster."""

    def run(self, call: Call) -> AsyncIterator[Event]:
        """Does one request: Progress any number of times, and at the end one Answer or one
        Failed. Closing it (aclose) calls the work off. It does not raise but for what nobody
        expected."""

    async def states(self) -> list[ReplicaState]:
        """The state of each replica. One that does not answer is not in the list."""

    async def known(self) -> list[ReplicaState]:
        """The same, perhaps a little older, but fast enough for a request."""


class LocalWorkers:
    """A worker in this process."""

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
