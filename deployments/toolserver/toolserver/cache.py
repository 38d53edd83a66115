"""The memory of a device as a budget: which models are in it, and which are dropped.

A model is counted by its weights, and while it is run also by the room that it works in. One
that is being loaded, or was loaded and not yet run, is counted by both. So, at all times,

    weights of all + room of those that run or are about to <= budget

A model in use is never dropped. Of the others the least recently used leaves first, and one
that requests wait for leaves only for who has been passed over too often (Room.due).

Nothing here knows of torch or of threads: all of it is called by one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

V = TypeVar("V")


class TooLarge(Exception):  # noqa: N818 - it is about a model
    """The budget is too small, even for this model alone."""


@dataclass(eq=False)
class Entry(Generic[V]):
    """A model that is on the device or being loaded."""

    name: str
    weights: int
    """Bytes that it takes as long as it is on the device."""
    room: int
    """Bytes that it needs while it runs."""
    value: V | None = None
    """None while it is being loaded."""
    using: bool = False
    fresh: bool = True
    """It has not run since it was loaded. If it were dropped now, loading it would have been useless."""
    used: int = 0
    """Grows with each use of any model."""

    @property
    def bytes(self) -> int:
        return self.weights + (self.room if self.using or self.fresh else 0)

    @property
    def idle(self) -> bool:
        return self.value is not None and not self.using


@dataclass(eq=False)
class _Asked:
    """A load that waits for room."""

    name: str
    need: int
    due: Callable[[], bool]
    granted: asyncio.Future[bool]


class Cache(Generic[V]):
    """The models on one device."""

    def __init__(
        self,
        budget: int,
        wanted: Callable[[str], bool] = lambda name: False,
        dropped: Callable[[str], None] = lambda name: None,
    ) -> None:
        """wanted reports whether requests wait for a model. dropped is called with each model that is dropped."""
        self.budget = budget
        self._wanted = wanted
        self._dropped = dropped
        self._entries: dict[str, Entry[V]] = {}
        self._asked: list[_Asked] = []
        self._uses = count(1)

    @property
    def used(self) -> int:
        """Bytes that are counted as used."""
        return sum(e.bytes for e in self._entries.values())

    @property
    def crowded(self) -> bool:
        """Whether a model waits for room."""
        return bool(self._asked)

    def entries(self) -> list[Entry[V]]:
        return list(self._entries.values())

    def has(self, name: str) -> bool:
        """Whether it is loaded."""
        entry = self._entries.get(name)
        return entry is not None and entry.value is not None

    async def ask(self, name: str, need: int, due: Callable[[], bool] = lambda: False) -> bool:
        """Waits its turn for room to load a model, and reserves it. False if the wait was given up. Raises
        TooLarge if waiting is useless.

        Which is to say put or withdraw afterwards. due tells whether it may drop models that
        requests wait for; settle is to be called when it turns true."""
        if need > self.budget:
            raise TooLarge
        asked = _Asked(name, need, due, asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        self.settle()
        try:
            return await asked.granted
        except asyncio.CancelledError:
            self.withdraw(name)
            raise

    def put(self, name: str, value: V, weights: int, room: int) -> bool:
        """Adds a loaded model with its weight. False if it is heavier than its reservation and does not fit
        now: then the caller drops it and asks again."""
        entry = self._entries[name]
        if weights > self.budget:
            self.withdraw(name)
            raise TooLarge
        room = min(room, self.budget - weights)
        if not self._make(weights + room - entry.bytes, self._idle()):
            self.withdraw(name)
            return False
        entry.value, entry.weights, entry.room = value, weights, room
        entry.used = next(self._uses)
        self.settle()
        return True

    def give_up(self, name: str) -> None:
        """Stops waiting for room, because nobody wants the model any more. A load in progress goes on."""
        for asked in [a for a in self._asked if a.name == name]:
            self._asked.remove(asked)
            if not asked.granted.done():
                asked.granted.set_result(False)
        self.settle()

    def withdraw(self, name: str) -> None:
        """Drops the reservation of a model that is not loaded after all, or its wait for one."""
        self.give_up(name)
        entry = self._entries.get(name)
        if entry is not None and entry.value is None:
            del self._entries[name]
        self.settle()

    def use(self, name: str) -> V | None:
        """The model, which is kept until release. None if it is not loaded, or if it has no room to run until
        another load ends."""
        entry = self._entries.get(name)
        if entry is None or entry.value is None or entry.using:
            return None
        others = [e for e in self._idle() if e is not entry]
        if not self._make(entry.weights + entry.room - entry.bytes, others):
            return None
        entry.using, entry.fresh, entry.used = True, False, next(self._uses)
        return entry.value

    def release(self, name: str, peak: int = 0) -> None:
        """Ends the use of a model, whose peak of memory was so many bytes. If that is more than expected, it
        gets as much the next time. Less says nothing, because the request may have been small."""
        entry = self._entries[name]
        entry.using = False
        entry.room = min(max(entry.room, peak), self.budget - entry.weights)
        self.settle()

    def drop_idle(self) -> int:
        """Drops all models that are not in use, and returns how many."""
        idle = self._idle()
        for entry in idle:
            self._drop(entry)
        return len(idle)

    def settle(self) -> None:
        """Gives room to the loads that wait, in their order, as far as there is room."""
        while self._asked:
            first = self._asked[0]
            may = [e for e in self._idle() if not self._wanted(e.name) or (first.due() and not e.fresh)]
            if not self._make(first.need, may):
                return
            self._asked.pop(0)
            self._entries[first.name] = Entry(first.name, weights=first.need, room=0)
            first.granted.set_result(True)

    def _idle(self) -> list[Entry[V]]:
        """The models that may be dropped, in the order in which to drop them."""
        return sorted((e for e in self._entries.values() if e.idle), key=lambda e: (self._wanted(e.name), e.fresh, e.used))

    def _make(self, need: int, may: list[Entry[V]]) -> bool:
        """Makes room by dropping the first of these models. Drops none if all were not enough."""
        short = need - (self.budget - self.used)
        if short > sum(e.bytes for e in may):
            return False
        for entry in may:
            if short <= 0:
                break
            short -= entry.bytes
            self._drop(entry)
        return True

    def _drop(self, entry: Entry[V]) -> None:
        entry.value = None
        del self._entries[entry.name]
        self._dropped(entry.name)
