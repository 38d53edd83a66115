"""Ways of waiting for a model, for tests."""

from __future__ import annotations

from toolserver.faults import Cancelled


class Told:
    """Keeps what it is told, and cancels after so many times."""

    def __init__(self, until: int | None = None) -> None:
        self.done: list[float] = []
        self.until = until

    def __call__(self, done: float) -> None:
        self.done.append(done)
        if self.until is not None and len(self.done) >= self.until:
            raise Cancelled
