"""The metrics of a device, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from .faults import Code

Outcome = Code | str
"""The code of a fault, or ok, or cancelled."""


class Metrics:
    """The counts of one engine. Names of models and tasks are those of the registry, so that
    nothing that is sent makes a label."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """registry is where they are shown; without one they have their own."""
        self.registry = registry or CollectorRegistry()
        where = self.registry
        self.requests = Counter(
            "toolserver_requests",
            "Requests that ended, by the word of their fault, ok or cancelled.",
            ["model", "task", "code"],
            registry=where,
        )
        self.seconds = Counter(
            "toolserver_device_seconds", "Seconds for which the device worked for requests.", ["model", "task"], registry=where
        )
        self.batches = Counter("toolserver_batches", "Runs of a model, of one or more requests each.", ["model"], registry=where)
        self.loads = Counter("toolserver_loads", "Models loaded, by the word of their fault or ok.", ["model", "code"], registry=where)
        self.load_seconds = Counter("toolserver_load_seconds", "Seconds that loading took.", ["model"], registry=where)
        self.evictions = Counter("toolserver_evictions", "Models that left the device for others.", ["model"], registry=where)
        self.loaded = Gauge("toolserver_loaded_bytes", "What models take of the device now.", registry=where)
        self.budget = Gauge("toolserver_budget_bytes", "What models may take of the device.", registry=where)
        self.waiting = Gauge("toolserver_waiting", "Requests that wait for the device.", registry=where)
        self.running = Gauge("toolserver_running", "Requests that the device works on.", registry=where)
