"""HTTP: Hugging Face's task API with our extension of it (see tasks), for agent/toolbox/hftask.

    POST /models/{org}/{model}                  a request for a model
    POST /models/{org}/{model}/pipeline/{task}  of one that does several tasks
    POST /pipeline/{task}                       for the model that does the task by default
    GET  /jobs/{id}, /jobs/{id}/result          how far a long request is, and what it made
    DELETE /jobs/{id}                           it is called off
    GET  /status/{org}/{model}, /capabilities   what is served, and in which state
    GET  /healthz, /metrics

The body is a file, or JSON: {"inputs": …, "parameters": {…}} with files in Base64.

Promises:

  - A request that is not done after settings.patience seconds is answered by 202 and goes on
    as a job; Prefer: respond-async asks for that at once, and Prefer: wait=N after N seconds.
  - Who goes away before the answer has the work called off.
  - A fault is answered with its status and as JSON (see faults); nothing that was sent is
    repeated in it, nor in a log.
  - What is taken into memory is bounded: by settings.max_body for each body, and by as much
    for all together as guard.BODIES says.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, cast

from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from .choice import choose
from .events import Call, ReplicaState
from .faults import Fault
from .guard import Bodies, Counts, Guard, refusal
from .jobs import Jobs, Work
from .read import message
from .registry import Model, Registry
from .settings import Settings
from .tasks import MODES, TASKS
from .workers import Workers

log = logging.getLogger(__name__)

SWEEP = 15.0
"""Seconds between two clean-ups of old results."""
TELLING = 3.0
"""Seconds within which replicas report their state."""
AT_ONCE = 4
"""How many requests keep a replica busy: the device works on one batch while the next one is read and
the last one is written."""


def create_app(
    settings: Settings,
    registry: Registry,
    workers: Workers,
    collected: CollectorRegistry | None = None,
    ending: Sequence[Callable[[], Awaitable[None]]] = (),
) -> FastAPI:
    """The application. collected is what /metrics shows beside its own counts; ending is what is
    closed when the server has let go of everybody."""
    jobs = Jobs(settings.keep)

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(_sweep(jobs))
        try:
            yield
        finally:
            sweeping.cancel()
            jobs.close()
            for close in ending:
                await close()

    prometheus = collected or CollectorRegistry()
    counts = Counts(prometheus)
    # what is exported by OpenTelemetry holds no exception: its message may have what was sent
    app = FastAPI(title="Atelier's tool server", openapi_url=None, lifespan=life, telemetry={"logs": False, "operation_spans": False})
    app.add_middleware(Guard, token=settings.token.get_secret_value(), counts=counts)
    app.add_exception_handler(Fault, _refused)
    app.add_exception_handler(HTTPException, _strayed)
    app.add_exception_handler(ClientDisconnect, _gone)
    told = _Told(registry, workers)
    asked = _Asked(settings, registry, workers, jobs, told)

    app.add_api_route("/models/{org}/{model}", asked.model, methods=["POST"])
    app.add_api_route("/models/{org}/{model}/pipeline/{task}", asked.model, methods=["POST"])
    app.add_api_route("/pipeline/{task}", asked.pipeline, methods=["POST"])

    @app.get("/jobs/{name}")
    async def job(name: str) -> Response:
        return JSONResponse({"id": name, **jobs.find(name).told()})

    @app.get("/jobs/{name}/result")
    async def result(name: str, request: Request) -> Response:
        work = jobs.find(name)
        request.scope["toolserver"]["model"] = work.model
        if not work.over or work.status == "cancelled":
            raise Fault("not_done", "The job was called off." if work.over else "The job is not done yet.")
        return _made(work)

    @app.delete("/jobs/{name}")
    async def cancel(name: str) -> Response:
        return JSONResponse({"id": name, **jobs.drop(name).told()})

    @app.get("/healthz")
    async def healthz() -> Response:
        states = await told.states()
        if any(state.fault is None for state in states):
            return JSONResponse({"status": "ok"})
        why = next((state.fault for state in states if state.fault), None)
        return refusal(Fault("replica_lost", why.message if why else "No replica answers.", retry_after=10))

    app.add_api_route("/status/{org}/{model}", told.status, methods=["GET"])
    app.add_api_route("/capabilities", told.capabilities, methods=["GET"])

    @app.get("/metrics")
    async def metrics() -> Response:
        for state in await told.states():
            labels = (state.replica, state.device)
            counts.budget.labels(*labels).set(state.budget)
            counts.used.labels(*labels).set(_used(state))
            counts.waiting.labels(*labels).set(state.waiting)
            counts.running.labels(*labels).set(state.running)
            counts.healthy.labels(*labels).set(state.fault is None)
        for status, count in jobs.counts().items():
            counts.jobs.labels(status).set(count)
        counts.bodies.set(asked.bodies.room.size - asked.bodies.room.free)
        return Response(generate_latest(prometheus), media_type=CONTENT_TYPE_LATEST)

    return app


class _Asked:
    """Requests for models."""

    def __init__(self, settings: Settings, registry: Registry, workers: Workers, jobs: Jobs, told: _Told) -> None:
        self._settings, self._registry, self._workers, self._jobs, self._told = settings, registry, workers, jobs, told
        self.bodies = Bodies(settings.max_body, settings.patience)

    async def model(self, request: Request, org: str, model: str, task: str | None = None) -> Response:
        self._registry.model(f"{org}/{model}")  # before the body is read
        return await self._do(request, f"{org}/{model}", task)

    async def pipeline(self, request: Request, task: str) -> Response:
        return await self._do(request, None, task)

    async def _do(self, request: Request, name: str | None, task: str | None) -> Response:
        kind = request.headers.get("content-type", "")
        body, release = await self.bodies.read(request)
        try:
            # parsing a large body takes a while, in which others must not wait
            told = await asyncio.to_thread(message, kind, body) if len(body) > 1 << 16 else message(kind, body)
            states = [] if name else await self._told.known()
            model, key = choose(self._registry, name, task, told, kind, lambda m: able(m, states))
        except BaseException:
            release()
            raise
        del told
        request.scope["toolserver"]["model"] = model.id
        call = Call(model.id, key, kind, request.headers.get("accept", ""), body)
        work = Work(self._workers, call, model.seconds, release)
        patience, preferred = _patience(request, self._settings.patience)
        try:
            over = await _waited(request, work, patience)
        except BaseException:  # the client is gone
            work.cancel()
            raise
        if over:
            return _made(work)
        job = self._jobs.add(work)
        headers = {"Location": f"{request.scope.get('root_path', '')}/jobs/{job}"}
        if preferred:
            headers["Preference-Applied"] = preferred
        return JSONResponse({"id": job, **work.told()}, 202, headers)


async def _waited(request: Request, work: Work, patience: float) -> bool:
    """Whether the work ends in time. Raises ClientDisconnect if the client has gone."""
    gone = asyncio.create_task(_leaves(request))
    done = asyncio.create_task(work.wait())
    try:
        await asyncio.wait([gone, done], timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not work.over:
            raise ClientDisconnect
    finally:
        gone.cancel()
        done.cancel()
    return work.over


async def _leaves(request: Request) -> None:
    """Returns when the connection is closed."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _patience(request: Request, usual: float) -> tuple[float, str]:
    """How long to wait, and which preference of the request applies (RFC 7240)."""
    wishes = [wish.strip().lower() for header in request.headers.getlist("prefer") for wish in header.split(",")]
    if "respond-async" in wishes:
        return 0.0, "respond-async"
    for wish in wishes:
        if found := re.fullmatch(r'wait\s*=\s*"?(\d{1,9})"?', wish):
            seconds = min(float(found[1]), usual)
            return seconds, f"wait={seconds:g}"
    return usual, ""


def _made(work: Work) -> Response:
    if work.fault:
        raise work.fault
    if work.answer is None:
        raise Fault("not_done", "The work was called off.")
    headers = {"X-Model": work.model, "X-Compute-Time": f"{work.answer.seconds:.3f}"}
    return Response(work.answer.body, media_type=work.answer.content_type, headers=headers)


class _Told:
    """What the server reports about itself."""

    def __init__(self, registry: Registry, workers: Workers) -> None:
        self._registry, self._workers = registry, workers

    async def states(self) -> list[ReplicaState]:
        """The states of the replicas that answer."""
        return await self._within(self._workers.states())

    async def known(self) -> list[ReplicaState]:
        """The same, perhaps a little older."""
        return await self._within(self._workers.known())

    async def _within(self, asking: Awaitable[list[ReplicaState]]) -> list[ReplicaState]:
        try:
            return await asyncio.wait_for(asking, TELLING)
        except Exception as err:
            log.warning("the replicas do not tell their state: %s", type(err).__name__)
            return []

    async def status(self, org: str, model: str) -> Response:
        state, reason = state_of(self._registry.model(f"{org}/{model}"), await self.states())
        return JSONResponse({"state": state, **({"reason": reason} if reason else {})})

    async def capabilities(self) -> Response:
        states = await self.states()
        return JSONResponse(
            {
                "tasks": self._tasks(states),
                "models": {model.id: _described(model, states) for model in self._registry.models.values()},
                "concurrency": AT_ONCE * sum(state.fault is None for state in states),
                "replicas": [{"device": s.device, "budget": s.budget, "used": _used(s)} for s in states],
            }
        )

    def _tasks(self, states: Sequence[ReplicaState]) -> dict[str, dict[str, Any]]:
        """By the keys of the tasks. Tasks about maps have the kinds of maps."""
        told: dict[str, dict[str, Any]] = {}
        for key, spec in TASKS.items():
            models = [model.id for model in self._registry.for_task(key)]
            if models:
                default = self._registry.default(key, able=lambda m: able(m, states))
                told[key] = {"default": default.id, "models": models}
                if "control_mode" in spec.parameters.model_fields:
                    told[key]["modes"] = [mode for mode in MODES if self._registry.for_task(key, mode)]
        return told


def _described(model: Model, states: Sequence[ReplicaState]) -> dict[str, Any]:
    state, reason = state_of(model, states)
    loaded = max((m.bytes for s in states for m in s.models if m.model == model.id and m.state == "loaded"), default=0)
    told: dict[str, Any] = {
        "tasks": model.tasks,
        "state": state,
        "vram_bytes": loaded or model.memory << 20,
        "licence": model.licence,
        "tier": model.tier,
    }
    if model.modes:
        told["modes"] = model.modes
    if reason:
        told["reason"] = reason
    return told


def state_of(model: Model, states: Sequence[ReplicaState]) -> tuple[str, str]:
    """loaded, loading, loadable, or unavailable, and why. It is unavailable if no replica can load it. While
    no replica answers, one may still come that can."""
    seen = {m.state for s in states for m in s.models if m.model == model.id and s.fault is None}
    for state in ("loaded", "loading"):
        if state in seen:
            return state, ""
    reasons = []
    for replica in states:
        own = next((m for m in replica.models if m.model == model.id and m.state == "unavailable"), None)
        if replica.fault:
            reasons.append(replica.fault.message)
        elif own:
            reasons.append(own.reason.message if own.reason else "It could not be loaded.")
        elif model.memory << 20 > replica.budget:
            reasons.append(f"It needs {model.memory} MiB, and models may take {replica.budget >> 20} MiB of the device.")
        else:
            return "loadable", ""
    return ("unavailable", reasons[0]) if reasons else ("loadable", "")


def able(model: Model, states: Sequence[ReplicaState]) -> bool:
    """Whether it may be asked."""
    return state_of(model, states)[0] != "unavailable"


def _used(state: ReplicaState) -> int:
    return sum(model.bytes for model in state.models if model.state != "unavailable")


async def _sweep(jobs: Jobs) -> None:
    while True:
        await asyncio.sleep(SWEEP)
        jobs.sweep()


async def _refused(_: Request, err: Exception) -> Response:
    return refusal(cast("Fault", err))


async def _strayed(_: Request, err: Exception) -> Response:
    status = err.status_code if isinstance(err, HTTPException) else 404
    said, code = {
        404: ("There is nothing at this address.", "unknown_path"),
        405: ("That cannot be done with what is at this address.", "wrong_method"),
    }.get(status, ("The request is not right.", "bad_request"))
    return JSONResponse({"error": said, "code": code}, status)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)  # the client is gone
