"""On Ray Serve: one ingress that speaks HTTP, and a replica for each GPU.

    serve run toolserver.cluster:app      on a cluster of Ray; KubeRay's RayService names it so too
    python -m toolserver.cluster          starts Ray on this machine alone, for its GPUs

Two deployments, which a Serve configuration names to override what is set here (num_replicas,
autoscaling_config, ray_actor_options, graceful_shutdown_timeout_s):

    Ingress   the HTTP side. The jobs that are asked after (202) live in its memory, and what is
              under way at each replica is counted by its router, so there is exactly one of it.
              It only passes bytes on; Ray's own HTTP proxies stand before it on every node.
    Models    replicas with a GPU each, and an engine and a worker on it. A request goes to where
              its model is warm (router).

A replica that dies in the middle of a request is answered for with 503 (replica_lost): whoever
asked knows best whether to ask again, which can be done at once while another replica is well.
Ray starts another in its place. One whose device is lost says so to Ray's health checks, and is
restarted likewise. One that hangs is passed over: what it does not take within TAKEN seconds is
sent to another. When the ingress dies, its jobs are gone, and asking after them gets 404
(unknown_job).

Whoever reaches Ray's own ports can run programs on its machines: keep them from the network, or
set RAY_AUTH_MODE=token. Started here for one machine, Ray asks for a token that nobody knows.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from pydantic import SecretStr

from .events import Answer, Call, Event, Failed, Progress, ReplicaState
from .faults import Fault
from .registry import Registry, read
from .settings import PREFIX, Settings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from prometheus_client.registry import Collector
    from ray.serve import Application
    from ray.serve.handle import DeploymentHandle, DeploymentResponseGenerator

log = logging.getLogger(__name__)

ROUTING_PERIOD = 1.0
"""The interval at which replicas report to the router, in seconds."""
HEALTH_PERIOD = 3.0
"""The interval of health checks, in seconds; a replica is restarted after three failures."""
HEALTH_TIMEOUT = 10.0
"""The timeout of a health check, in seconds."""
RESTART = 30.0
"""About how long a new replica takes to start, in seconds: the Retry-After when the only one is lost."""
ANSWERED = 2.0
"""The timeout of asking a replica for its state, in seconds; hanging ones are left out."""
TAKEN = 5.0
"""Seconds within which a replica says that it has a request, and a second more for each RATE bytes."""
RATE = 20e6
SHARE = 0.1
"""CPUs that Ray keeps for a replica and for the ingress. What is scarce are GPUs: a machine with no
more cores than GPUs has room for the ingress too. Some at least are asked for, since a head of
Kubernetes has none and runs nothing."""


class Doer(Protocol):
    """What a replica holds: worker.Worker."""

    def run(self, call: Call) -> AsyncIterator[Event]: ...

    async def state(self) -> ReplicaState: ...

    async def close(self) -> None: ...


Make = Callable[[Settings, Registry], tuple[Doer, CollectorRegistry]]
"""Makes the parts of a replica, and its metrics."""


def make_worker(settings: Settings, registry: Registry) -> tuple[Doer, CollectorRegistry]:
    """A worker on an engine of its own."""
    from .engine import Engine
    from .worker import Worker

    engine = Engine(settings, registry)
    return Worker(settings, registry, engine), engine.metrics.registry


class Models:
    """One replica."""

    def __init__(self, settings: Settings, registry: Registry, make: Make) -> None:
        from ray import serve

        self._name = serve.get_replica_context().replica_id.unique_id
        self._worker, self._counts = make(settings, registry)

    async def run(self, call: Call) -> AsyncIterator[Event]:
        """Does one request; a call that is cancelled is called off. First it says that it has it."""
        yield Progress(0.0, running=False)
        async with aclosing(self._worker.run(call)) as events:  # type: ignore[type-var]
            async for event in events:
                yield event

    async def state(self) -> ReplicaState:
        return replace(await self._worker.state(), replica=self._name)

    async def tell(self) -> tuple[ReplicaState, list[Metric]]:
        """Its state and its counts."""
        return await self.state(), list(self._counts.collect())

    async def record_routing_stats(self) -> dict[str, Any]:
        """What Ray passes on to the router."""
        from .router import stats

        return {**stats(await self.state()), "at": time.monotonic()}

    async def __del__(self) -> None:
        """Ray awaits this when the replica is to go and has done all that it had."""
        await self._worker.close()

    async def check_health(self) -> None:
        """Ray restarts a replica for which this raises."""
        if fault := (await self.state()).fault:
            raise RuntimeError(str(fault))


class ClusterWorkers:
    """workers.Workers over the replicas of Models. It is a collector of Prometheus too: of the
    counts that the replicas told when they were last asked for their states, each with the
    replica as a label."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._handle = handle
        self._counts: dict[str, list[Metric]] = {}
        self._asking: asyncio.Task[list[ReplicaState]] | None = None
        self._asked = 0.0
        self._known: list[ReplicaState] | None = None

    async def run(self, call: Call) -> AsyncIterator[Event]:
        """Sends it to a replica and hands on what that tells."""
        from ray.exceptions import RayActorError, TaskCancelledError
        from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError

        send = self._handle.options(stream=True, multiplexed_model_id=call.model).run
        ended = False
        try:
            while True:
                # Out of the context of the HTTP request: what becomes of the work is said by closing
                # this, and a job goes on after the request that began it has been answered.
                response = cast("DeploymentResponseGenerator[Event]", contextvars.Context().run(send.remote, call))
                try:
                    await asyncio.wait_for(anext(response), TAKEN + len(call.body) / RATE)
                    break
                except TimeoutError:  # it hangs, and the router knows by now; or there is none yet
                    response.cancel()  # type: ignore[no-untyped-call]
            async for event in response:
                ended = isinstance(event, Answer | Failed)
                yield event
            if not ended:
                ended = True
                yield Failed(await self._lost())
        except (RayActorError, TaskCancelledError, StopAsyncIteration):
            ended = True
            yield Failed(await self._lost())
        except DeploymentUnavailableError:
            ended = True
            yield Failed(Fault("replica_lost", "No replica of the tool server can be started; its operator knows why."))
        except BackPressureError:
            ended = True
            yield Failed(Fault("too_busy", "Too many requests wait already.", retry_after=RESTART))
        finally:
            if not ended:
                response.cancel()  # type: ignore[no-untyped-call]

    async def states(self) -> list[ReplicaState]:
        """Asks all replicas at once; those that are going, or hang, are left out."""
        # results_async() waits for all or has none
        asked = await self._handle.broadcast("tell")._fetch_replica_results_async()
        answering: list[Any] = [asyncio.wait_for(one.get_async(), ANSWERED) for one in asked]  # type: ignore[no-untyped-call]
        answers = await asyncio.gather(*answering, return_exceptions=True)
        told = [answer for answer in answers if not isinstance(answer, BaseException)]
        self._counts = {state.replica: counts for state, counts in told}
        self._known = [state for state, _ in told]
        return self._known

    async def _lost(self) -> Fault:
        """Another replica that is well can be asked at once."""
        from ray.serve.exceptions import DeploymentUnavailableError

        try:
            after = 1.0 if any(state.fault is None for state in await self.states()) else RESTART
        except DeploymentUnavailableError:
            after = RESTART
        return Fault("replica_lost", "The process that worked on this was lost; another takes its place.", retry_after=after)

    async def known(self) -> list[ReplicaState]:
        """As they were told last. They are asked again beside it, and waited for only where
        nothing was told yet."""
        if self._asking is None or (self._asking.done() and time.monotonic() - self._asked >= ROUTING_PERIOD):
            self._asking, self._asked = asyncio.create_task(self.states()), time.monotonic()
            self._asking.add_done_callback(lambda asked: asked.cancelled() or asked.exception())  # who waits hears of it
        if self._known is None:
            await asyncio.shield(self._asking)
        return self._known or []

    def collect(self) -> Iterator[Metric]:
        families: dict[str, Metric] = {}
        for replica, counts in self._counts.items():
            for told in counts:
                family = families.setdefault(told.name, Metric(told.name, told.documentation, told.type))
                family.samples += [sample._replace(labels={**sample.labels, "replica": replica}) for sample in told.samples]
        yield from families.values()


class Ingress:
    """The HTTP side in a replica of Ray Serve."""

    def __init__(self, settings: Settings, registry: Registry, models: DeploymentHandle[Any]) -> None:
        self._settings, self._registry, self._models = settings, registry, models

    def __serve_build_asgi_app__(self) -> FastAPI:
        """serve.ingress() asks for the app by this name, where it is to run."""
        from .api import create_app

        workers, counts = ClusterWorkers(self._models), CollectorRegistry()
        counts.register(cast("Collector", workers))
        return create_app(self._settings, self._registry, workers, counts)


def replicas(settings: Settings, registry: Registry, make: Make = make_worker, gpus: float = 0) -> Application:
    """Models. gpus is how many a replica has; 0 is for CPUs."""
    from ray import serve

    # A replica sees the GPUs that Ray gives it and no others, numbered from 0; and it needs no
    # token, since only the ingress is spoken to.
    inner = settings.model_copy(update={"device": settings.device.partition(":")[0], "token": SecretStr("")})
    deployment: Any = serve.deployment(
        name="Models",
        num_replicas=settings.replicas,
        ray_actor_options={"num_cpus": SHARE, "num_gpus": gpus},
        # The worker counts who waits, and refuses the one too many (too_busy) in a sentence of
        # its own; what is set here only has to be more.
        max_ongoing_requests=settings.max_waiting + 64,
        max_queued_requests=settings.max_waiting + 64,
        health_check_period_s=HEALTH_PERIOD,
        health_check_timeout_s=HEALTH_TIMEOUT,
        graceful_shutdown_timeout_s=settings.grace,
        request_router_config={
            "request_router_class": "toolserver.router.WarmRouter",
            "request_router_kwargs": {"needs": {m.id: (m.memory << 20, m.batch) for m in registry.models.values()}},
            "request_routing_stats_period_s": ROUTING_PERIOD,
        },
    )(Models)
    return cast("Application", deployment.bind(inner, registry, make))


def application(settings: Settings, registry: Registry, models: Application) -> Application:
    """The HTTP side before them."""
    from ray import serve

    deployment: Any = serve.deployment(
        name="Ingress",
        num_replicas=1,
        ray_actor_options={"num_cpus": SHARE},
        max_ongoing_requests=16 * settings.max_waiting,
        graceful_shutdown_timeout_s=settings.grace,
    )(serve.ingress()(Ingress))
    return cast("Application", deployment.bind(settings, registry, models))


def build(args: Mapping[str, str]) -> Application:
    """What Serve's configuration names: import_path toolserver.cluster:app. The settings are those
    of the environment; args may have others, by their names in small letters, and the token
    never among them. It stands in the environment and must be there: where Ray's proxies
    listen is not known here."""
    if "token" in args:
        raise ValueError(f"the token is set by the variable {PREFIX}TOKEN alone")
    settings = Settings.read({**os.environ, **{PREFIX + name.upper(): str(value) for name, value in args.items()}})
    if not settings.token.get_secret_value():
        raise ValueError(f"{PREFIX}TOKEN must be set")
    import ray

    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    if short := shortage(settings, resources):
        log.warning("%s Until the cluster has more, some wait.", short)
    registry = read(settings.models, settings.tier, settings.only, settings.folders)
    return _whole(settings, registry, _gpus(settings, resources))


app = build


def _whole(settings: Settings, registry: Registry, gpus: int) -> Application:
    return application(settings, registry, replicas(settings, registry, gpus=gpus))


def _gpus(settings: Settings, resources: Mapping[str, float]) -> int:
    """One for each replica, if the cluster has any now. One that gets its first GPU by scaling
    up says so in its Serve configuration: ray_actor_options with num_gpus 1."""
    return 0 if settings.device.startswith("cpu") or not resources.get("GPU") else 1


def shortage(settings: Settings, resources: Mapping[str, float]) -> str:
    """What Ray has too little of for the replicas to start, in a sentence; empty if it has enough."""
    wanted, gpus, cpus = settings.replicas, resources.get("GPU", 0), resources.get("CPU", 0)
    name = f"{PREFIX}REPLICAS is {wanted}"
    if _gpus(settings, resources) and wanted > gpus:
        return f"{name}, and Ray has {gpus:g} GPUs: each replica needs one."
    if SHARE * (wanted + 1) > cpus + 1e-9:
        return f"{name}, and Ray has {cpus:g} CPUs: that is enough for {max(0, round(cpus / SHARE) - 1)}."
    return ""


def main() -> None:
    """Starts Ray on this machine, reachable from it alone but for the HTTP side, and serves until
    it is told to stop."""
    from .__main__ import prepared

    try:
        settings, registry = prepared()
    except (ValueError, OSError) as err:
        raise _ended(err) from None
    # Before Ray is imported, which reads them then.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if "RAY_AUTH_MODE" not in os.environ:
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    import ray
    from ray import serve

    ray.init("local", include_dashboard=False)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    if short := shortage(settings, resources):
        raise _ended(short)
    serve.start(http_options={"host": settings.host, "port": settings.port})
    serve.run(_whole(settings, registry, _gpus(settings, resources)), name="toolserver", blocking=True)


def _ended(why: object) -> SystemExit:
    print(f"toolserver.cluster: {why}", file=sys.stderr)
    return SystemExit(2)


if __name__ == "__main__":
    # by its name, so that replicas find the classes in the module and not in __main__
    from toolserver.cluster import main as start

    start()
