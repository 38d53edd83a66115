"""To which replica a request goes: where its model is warm, unless too much waits there.

Ray Serve runs this in the process that sends the requests (cluster's ingress, of which there
is one), so what it counts of its own is exact. What replicas tell of themselves comes by way
of the controller and is a second or two old; a model that was sent somewhere a moment ago is
therefore taken as warm there.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ray.serve.request_router import PendingRequest, ReplicaID, RequestRouter, RunningReplica

from .events import ReplicaState

COLD = 4.0
"""The cost of loading a model: how many batches may wait before another replica loads it too."""
CROWDED = 2.0
"""The extra cost if other models must be dropped for it."""
FRESH = 5.0
"""Seconds for which a choice counts before its outcome is known."""
SILENT = 4.0
"""Seconds without news after which a replica counts as hanging. Replicas report every second."""


@dataclass(frozen=True)
class Needs:
    """What a model needs from a replica."""

    bytes: int = 0
    batch: int = 1
    """How many requests go into one batch."""


@dataclass(frozen=True)
class Place:
    """What the router knows about a replica."""

    name: str
    warm: bool = False
    """It has the model or is loading it."""
    free: int = 0
    """Bytes that no model uses."""
    load: float = 0
    """Batches that wait there."""
    lost: bool = False
    """Its device is broken, or it hangs."""


def stats(state: ReplicaState) -> dict[str, Any]:
    """What a replica reports to the router: plain data, because it passes the controller."""
    return {
        "models": [m.model for m in state.models if m.state in ("loaded", "loading")],
        "free": max(0, state.budget - sum(m.bytes for m in state.models if m.state in ("loaded", "loading"))),
        "lost": state.fault is not None,
    }


def rank(model: str, needs: Needs, places: list[Place]) -> list[Place]:
    """The best first. Among equal replicas, a model always gets the same one (by the hash of both names),
    and different models get different ones."""

    def cost(place: Place) -> tuple[Any, ...]:
        cold = 0.0 if place.warm else COLD + (CROWDED if place.free < needs.bytes else 0.0)
        return (
            place.lost,
            place.load + cold,
            not place.warm,
            -place.free,
            hashlib.blake2b(f"{model} {place.name}".encode(), digest_size=8).digest(),
        )

    return sorted(places, key=cost)


def load(models: Counter[str], needs: Mapping[str, Needs]) -> float:
    """Batches, from the number of requests of each model."""
    return sum(math.ceil(n / needs.get(model, Needs()).batch) for model, n in models.items())


@dataclass
class _Sent:
    replica: str
    model: str
    at: float
    routed: bool = field(default=False)
    """The replica has accepted it. Until then it is a plan, which expires."""


class WarmRouter(RequestRouter):
    """Ray Serve's router for Models. The model of a request is its multiplexed_model_id."""

    def initialize_state(self, needs: dict[str, tuple[int, int]] | None = None, **_: object) -> None:
        """Is given request_router_kwargs: the bytes and the batch of each model."""
        self._needs = {model: Needs(*two) for model, two in (needs or {}).items()}
        self._sent: dict[str, _Sent] = {}
        self._last: dict[tuple[str, str], float] = {}
        self._heard: dict[str, tuple[object, float]] = {}
        self._now: Callable[[], float] = time.monotonic

    def update_replicas(self, replicas: list[RunningReplica]) -> None:
        """Called with each report of a replica, every second."""
        super().update_replicas(replicas)
        now, known = self._now(), self._heard
        told = {r.replica_id.unique_id: (r.routing_stats or {}).get("at") for r in replicas}
        self._heard = {name: known[name] if name in known and known[name][0] == at else (at, now) for name, at in told.items()}

    async def choose_replicas(
        self, candidate_replicas: list[RunningReplica], pending_request: PendingRequest | None = None
    ) -> list[list[RunningReplica]]:
        """Each replica in a rank of its own: Ray takes the first with room for a request."""
        model = pending_request.metadata.multiplexed_model_id if pending_request else ""
        by_name = {r.replica_id.unique_id: r for r in candidate_replicas}
        best = rank(model, self._needs.get(model, Needs()), self._places(model, candidate_replicas))
        if pending_request is not None:
            # without this Ray retries without a pause when all are full
            pending_request.routing_context.should_backoff = True
            if best:
                self._note(pending_request, best[0].name)
        return [[by_name[place.name]] for place in best]

    def _places(self, model: str, replicas: list[RunningReplica]) -> list[Place]:
        now = self._now()
        self._sent = {i: s for i, s in self._sent.items() if s.routed or now - s.at < FRESH}
        self._last = {key: at for key, at in self._last.items() if now - at < FRESH}
        counts: dict[str, Counter[str]] = {}
        for sent in self._sent.values():
            counts.setdefault(sent.replica, Counter())[sent.model] += 1
        places = []
        for replica in replicas:
            name, told = replica.replica_id.unique_id, replica.routing_stats or {}
            there = counts.get(name, Counter())
            places.append(
                Place(
                    name=name,
                    warm=model in told.get("models", ()) or model in there or (name, model) in self._last,
                    free=int(told.get("free", 0)),
                    load=load(there, self._needs),
                    lost=bool(told.get("lost", False)) or now - self._heard.get(name, (None, now))[1] > SILENT,
                )
            )
        return places

    def _note(self, request: PendingRequest, replica: str, routed: bool = False) -> None:
        model, now = request.metadata.multiplexed_model_id, self._now()
        self._sent[request.metadata.internal_request_id] = _Sent(replica, model, now, routed)
        if model:
            self._last[replica, model] = now

    def on_request_routed(self, pending_request: PendingRequest, replica_id: ReplicaID, result: object) -> None:
        """A replica accepted it."""
        self._note(pending_request, replica_id.unique_id, routed=True)

    def on_request_completed(self, replica_id: ReplicaID, internal_request_id: str) -> None:
        """It is done, has failed, or was cancelled."""
        self._sent.pop(internal_request_id, None)
