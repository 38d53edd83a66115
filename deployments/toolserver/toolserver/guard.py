"""Middleware of all requests: token, log, metrics, and limits of bodies."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .faults import Fault
from .origin import origin
from .room import Room

access = logging.getLogger("toolserver.access")

BODIES = 8
"""The number of bodies of maximum size that may be in memory at once."""
STALL = 30.0
"""How long a body may stall, in seconds, since others need its memory."""
OPEN = ("/healthz",)
"""Paths that need no token, because process supervisors have none."""


def refusal(fault: Fault) -> JSONResponse:
    """The response to a fault."""
    headers = {}
    if fault.retry_after is not None:
        headers["Retry-After"] = str(max(1, round(fault.retry_after)))
    if fault.status == 408:
        headers["Connection"] = "close"  # the rest of the body is not read
    if fault.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(fault.body(), fault.status, headers)


class Counts:
    """The metrics of HTTP for Prometheus. No label contains input."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "toolserver_http_requests", "Requests, by the pattern of their path.", ["method", "path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "toolserver_http_seconds",
            "From a request to the end of its answer.",
            ["path"],
            buckets=(0.005, 0.025, 0.1, 0.5, 2, 5, 10, 20, 60, 300),
            registry=registry,
        )
        self.jobs = Gauge("toolserver_jobs", "Jobs that can be asked after.", ["status"], registry=registry)
        self.bodies = Gauge("toolserver_bodies_bytes", "What requests take of the memory that is kept for them.", registry=registry)
        labels = ["replica", "device"]
        self.budget = Gauge("toolserver_replica_budget_bytes", "What models may take of a replica's device.", labels, registry=registry)
        self.used = Gauge("toolserver_replica_used_bytes", "What models take of it.", labels, registry=registry)
        self.waiting = Gauge("toolserver_replica_waiting", "Requests that wait in a replica.", labels, registry=registry)
        self.running = Gauge("toolserver_replica_running", "Requests that a replica works on.", labels, registry=registry)
        self.healthy = Gauge("toolserver_replica_healthy", "1 if it can work.", labels, registry=registry)


class Guard:
    """Checks the token, and logs each request in one line: the method, the pattern of the path, the model,
    the status, the seconds. With an empty token, none is needed."""

    def __init__(self, app: ASGIApp, token: str, counts: Counts, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._token, self._counts, self._clock = app, token.encode(), counts, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = self._clock(), 0

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        scope["toolserver"] = {}
        try:
            if scope["path"] in OPEN or self._may(scope):
                await self._app(scope, receive, note)
            else:
                fault = Fault("bad_token", "The token is missing or wrong.")
                await refusal(fault)(scope, receive, note)
        except Exception as err:
            access.error("a request failed: %s", origin(err))
            if not status:
                fault = Fault("model_failed", "The server failed at this; its log says where.")
                await refusal(fault)(scope, receive, note)
        finally:
            took = self._clock() - began
            path = getattr(scope.get("route"), "path", "-")
            model = scope["toolserver"].get("model", "-")
            access.info("%s %s model=%s status=%s seconds=%.3f", scope["method"], path, model, status or "gone", took)
            self._counts.requests.labels(scope["method"] if path != "-" else "-", path, status or "gone").inc()
            self._counts.seconds.labels(path).observe(took)

    def _may(self, scope: Scope) -> bool:
        if not self._token:
            return True
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        kind, _, token = given.partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


class Bodies:
    """Reads bodies of at most that many bytes, in limited memory."""

    def __init__(self, most: int, patience: float, stall: float = STALL) -> None:
        self._most, self._patience, self._stall = most, patience, stall
        self.room = Room(BODIES * most)

    async def read(self, request: Request) -> tuple[bytes, Callable[[], None]]:
        """The body, and a function that returns its room. The body is refused as soon as it is too large or
        stalls."""
        told = request.headers.get("content-length", "")
        length = int(told) if told.isascii() and told.isdigit() else None
        if length is not None and length > self._most:
            raise self._too_large()
        # without a length, it may become as long as any
        try:
            taken = await asyncio.wait_for(self.room.take(self._most if length is None else length), max(self._patience, 1))
        except TimeoutError:
            raise Fault("too_busy", "Too many large requests are here already; ask again later.", retry_after=10) from None
        try:
            body = bytearray()
            now = asyncio.get_running_loop().time
            async with asyncio.timeout(self._stall) as limit:
                async for chunk in request.stream():
                    limit.reschedule(now() + self._stall)
                    body += chunk
                    if len(body) > self._most:
                        raise self._too_large()
            whole = bytes(body)
        except TimeoutError:
            self.room.give(taken)
            raise Fault("too_slow", f"Nothing more of the request came for {self._stall:g} seconds.") from None
        except BaseException:
            self.room.give(taken)
            raise
        self.room.give(taken - len(whole))
        return whole, lambda: self.room.give(len(whole))

    def _too_large(self) -> Fault:
        return Fault("too_large", f"The request is too large: at most {self._most >> 20} MiB are taken.")
