"""The memory of a device as a budget: which models are in it, and who has to leave.

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
    """The budget is too small, even with nothing else on the device."""


@dataclass(eq=False)
class Entry(Generic[V]):
    """A model on the device, or on the way to it."""

    name: str
    weights: int
    """Bytes that it keeps for as long as it is here."""
    room: int
    """Bytes that it works in."""
    value: V | None = None
    """None while it is loaded."""
    using: bool = False
    fresh: bool = True
    """It was not run since it was loaded: dropped now, it would have been loaded for nothing."""
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
    """Who waits for room to load a model."""

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
        """wanted tells whether requests wait for a model; dropped is told of each that left."""
        self.budget = budget
        self._wanted = wanted
        self._dropped = dropped
        self._entries: dict[str, Entry[V]] = {}
        self._asked: list[_Asked] = []
        self._uses = count(1)

    @property
    def used(self) -> int:
        """Bytes, as counted."""
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
        """Waits for room to load a model into, in the order of asking, and reserves it. False if
        it was given up. Raises TooLarge if waiting is of no use.

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
        """It was loaded and weighed. False if it is heavier than what was reserved for it, and
        there is no place for it now: then it is to be dropped, and asked for again."""
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
        """Nobody wants it any more: it does not wait for room. One that is being loaded still is."""
        for asked in [a for a in self._asked if a.name == name]:
            self._asked.remove(asked)
            if not asked.granted.done():
                asked.granted.set_result(False)
        self.settle()

    def withdraw(self, name: str) -> None:
        """It is not loaded after all: its reservation, or its wish for one, is gone."""
        self.give_up(name)
        entry = self._entries.get(name)
        if entry is not None and entry.value is None:
            del self._entries[name]
        self.settle()

    def use(self, name: str) -> V | None:
        """The model, kept from now on until release. None if it is not here, or has no room to
        work in until one that is being loaded is there."""
        entry = self._entries.get(name)
        if entry is None or entry.value is None or entry.using:
            return None
        others = [e for e in self._idle() if e is not entry]
        if not self._make(entry.weights + entry.room - entry.bytes, others):
            return None
        entry.using, entry.fresh, entry.used = True, False, next(self._uses)
        return entry.value

    def release(self, name: str, peak: int = 0) -> None:
        """It was used, and worked in as many bytes: if that is more than was thought of, it has
        so much the next time. Less says nothing, since the request may have been a small one."""
        entry = self._entries[name]
        entry.using = False
        entry.room = min(max(entry.room, peak), self.budget - entry.weights)
        self.settle()

    def drop_idle(self) -> int:
        """Drops all that are not in use; how many."""
        idle = self._idle()
        for entry in idle:
            self._drop(entry)
        return len(idle)

    def settle(self) -> None:
        """Gives room to who waits for it, in their order, as far as there is some."""
        while self._asked:
            first = self._asked[0]
            may = [e for e in self._idle() if not self._wanted(e.name) or (first.due() and not e.fresh)]
            if not self._make(first.need, may):
                return
            self._asked.pop(0)
            self._entries[first.name] = Entry(first.name, weights=first.need, room=0)
            first.granted.set_result(True)

    def _idle(self) -> list[Entry[V]]:
        """Those that may be dropped, in the order in which they should be."""
        return sorted((e for e in self._entries.values() if e.idle), key=lambda e: (self._wanted(e.name), e.fresh, e.used))

    def _make(self, need: int, may: list[Entry[V]]) -> bool:
        """Makes room by dropping the first of those; drops none if that were not enough."""
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
