"""A memory limit that requests share."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Room:
    """Bytes that are taken and returned, in the order of asking, so that small requests cannot starve a
    large one. It is used in one event loop."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.free = size
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, wanted: int) -> int:
        """Waits until there is room, and returns how much was taken: at most everything."""
        wanted = min(max(wanted, 0), self.size)
        if not self._waiting and wanted <= self.free:
            self.free -= wanted
            return wanted
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.free += wanted  # it got its room, but is cancelled
            else:
                with suppress(ValueError):  # removed already, because it is cancelled
                    self._waiting.remove((wanted, turn))
            self._serve()
            raise
        return wanted

    def give(self, taken: int) -> None:
        self.free += taken
        self._serve()

    @asynccontextmanager
    async def of(self, wanted: int) -> AsyncIterator[None]:
        """Takes room for as long as the block runs."""
        taken = await self.take(wanted)
        try:
            yield
        finally:
            self.give(taken)

    def _serve(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.free:
            wanted, turn = self._waiting.popleft()
            if not turn.done():
                self.free -= wanted
                turn.set_result(None)
