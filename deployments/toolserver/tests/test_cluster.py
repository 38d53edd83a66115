"""On a real Ray Serve with two replicas: routing, calling off, replicas and devices that are lost."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}

import ray
from ray import serve

from toolserver import cluster
from toolserver.cluster import ClusterWorkers
from toolserver.events import Answer, Call, Event, Failed, Progress
from toolserver.registry import Model, Registry
from toolserver.settings import Settings

from . import tiny
from .cluster_doer import Stage, make

TOKEN = "a-token-of-these-tests"
MODELS = [f"tiny/m{i}" for i in range(8)]
FAKE = {"licence": "MIT", "family": "fake", "tier": "minimal", "tasks": ["text-to-image"], "memory": 1024}

Address = Callable[[str], str]


@pytest.fixture(scope="module")
def address(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """Starts Ray on two cores with two servers of tools: "fake" of two replicas that do as they are
    told, and "real" of one with an engine and a tiny model. It gives the address of each."""
    weights = tmp_path_factory.mktemp("weights")
    (weights / "tiny").mkdir()
    (weights / "tiny" / "sorting").symlink_to(tiny_folder("tiny/sorting"), target_is_directory=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # what replicas are made of is pickled by its name, in this folder
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        actor = Stage.options(name="stage", namespace="test", max_concurrency=100).remote()
        serve.start(http_options={"host": "127.0.0.1", "port": port})
        fakes = Registry([Model.model_validate(FAKE | {"id": model}) for model in MODELS])
        # on a busy machine Ray takes a while to notice that a replica is gone, and a model to load
        settings = Settings(replicas=2, token=TOKEN, device="cpu", patience=100)
        serve.run(cluster.application(settings, fakes, cluster.replicas(settings, fakes, make)), name="fake", route_prefix="/fake")
        reals = Registry([Model.model_validate(tiny.entry("tiny/sorting"))])
        settings = Settings(token=TOKEN, device="cpu", weights=weights, memory=512, patience=100)
        serve.run(cluster.application(settings, reals, cluster.replicas(settings, reals)), name="real", route_prefix="/real")
        yield lambda name: f"http://127.0.0.1:{port}/{name}"
        del actor
    finally:
        serve.shutdown()
        ray.shutdown()


@pytest.fixture(scope="module")
def stage(address: Address) -> ray.actor.ActorHandle:
    return ray.get_actor("stage", namespace="test")


@pytest.fixture
async def workers(address: Address) -> ClusterWorkers:
    """Both replicas of "fake", up and well."""
    workers = ClusterWorkers(serve.get_deployment_handle("Models", "fake"))
    while len([s for s in await workers.states() if s.fault is None]) != 2:
        pass
    return workers


@pytest.fixture
async def fake(address: Address, workers: ClusterWorkers) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address("fake"), headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as client:
        yield client


def call(model: str, body: str = "quick") -> Call:
    return Call(model, "text-to-image", "text/plain", "*/*", body.encode())


async def last(events: AsyncIterator[Event]) -> Event:
    *_, end = [event async for event in events]
    return end


async def pid(workers: ClusterWorkers, model: str) -> int:
    end = await last(workers.run(call(model)))
    assert isinstance(end, Answer), end
    return int(end.body)


async def test_events_come_one_by_one_and_the_answer_last(workers: ClusterWorkers, stage: ray.actor.ActorHandle) -> None:
    async with aclosing(workers.run(call(MODELS[0], "stream"))) as events:
        assert await anext(events) == Progress(0, running=True)
        for step in (1, 2, 3):
            await stage.tell.remote("stream/go")
            assert await anext(events) == Progress(step / 1000, running=True)


async def test_a_model_stays_on_the_replica_that_has_it(workers: ClusterWorkers) -> None:
    for model in MODELS:
        assert len({await pid(workers, model) for _ in range(3)}) == 1


async def test_models_are_spread_over_the_replicas(workers: ClusterWorkers) -> None:
    assert len({await pid(workers, model) for model in MODELS}) == 2


async def test_each_replica_tells_of_itself(workers: ClusterWorkers) -> None:
    for model in MODELS:
        await pid(workers, model)
    states = await workers.states()
    assert len({s.replica for s in states}) == 2
    assert {m.model for s in states for m in s.models} == set(MODELS)
    counts = {s.labels["replica"]: s.value for family in workers.collect() for s in family.samples if s.name == "toolserver_calls_total"}
    assert set(counts) == {s.replica for s in states}
    assert sum(counts.values()) >= len(MODELS)


async def test_what_is_called_off_stops_between_steps(workers: ClusterWorkers, stage: ray.actor.ActorHandle) -> None:
    async with aclosing(workers.run(call(MODELS[1], "called-off"))) as events:
        await anext(events)
        await stage.tell.remote("called-off/go")
        assert await anext(events) == Progress(1 / 1000, running=True)
    await stage.wait.remote("called-off/ended")
    for _ in range(5):
        await stage.tell.remote("called-off/go")
    assert await stage.count.remote("called-off/step") == 1


async def test_who_waits_for_an_event_and_is_cancelled_calls_the_work_off(workers: ClusterWorkers, stage: ray.actor.ActorHandle) -> None:
    task = asyncio.create_task(last(workers.run(call(MODELS[1], "left"))))
    await stage.wait.remote("left/begun")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await stage.wait.remote("left/ended")


async def test_a_job_goes_on_after_its_request_was_answered_until_it_is_called_off(
    fake: httpx.AsyncClient, stage: ray.actor.ActorHandle
) -> None:
    begun = await fake.post(f"/models/{MODELS[4]}", json={"inputs": "job"}, headers={"Prefer": "respond-async"})
    assert begun.status_code == 202
    job = f"/jobs/{begun.json()['id']}"
    await stage.wait.remote('{"inputs":"job"}/begun')
    await stage.tell.remote('{"inputs":"job"}/go')
    await stage.wait.remote('{"inputs":"job"}/step')
    while (await fake.get(job)).json()["status"] == "queued":
        pass  # the ingress hears of the step a little later
    assert (await fake.get(job)).json()["status"] == "running"
    assert (await fake.delete(job)).is_success
    await stage.wait.remote('{"inputs":"job"}/ended')
    assert (await fake.get(job)).json()["status"] == "cancelled"


async def test_who_hangs_up_has_the_work_called_off(fake: httpx.AsyncClient, stage: ray.actor.ActorHandle) -> None:
    asking = asyncio.create_task(fake.post(f"/models/{MODELS[4]}", json={"inputs": "hangup"}))
    await stage.wait.remote('{"inputs":"hangup"}/begun')
    asking.cancel()
    await stage.wait.remote('{"inputs":"hangup"}/ended')


async def test_nobody_is_let_in_without_the_token(fake: httpx.AsyncClient) -> None:
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer another"}):
        refused = await fake.get("/capabilities", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (401, "bad_token")


async def test_a_replica_killed_in_the_middle_is_answered_for_and_the_next_request_is_served(
    workers: ClusterWorkers, fake: httpx.AsyncClient, stage: ray.actor.ActorHandle
) -> None:
    born = await stage.count.remote("born")
    victim = await pid(workers, MODELS[2])
    state = next(s for s in await workers.states() if MODELS[2] in [m.model for m in s.models])
    asking = asyncio.create_task(fake.post(f"/models/{MODELS[2]}", json={"inputs": "killed"}))
    async with aclosing(workers.run(call(MODELS[2], "killed"))) as events:
        await anext(events)
        await stage.wait.remote("killed/begun")
        await stage.wait.remote('{"inputs":"killed"}/begun')
        ray.kill(ray.get_actor(f"SERVE_REPLICA::fake#Models#{state.replica}", namespace="serve"))
        end = await last(events)
    assert isinstance(end, Failed)
    assert (end.fault.code, end.fault.status) == ("replica_lost", 503)
    refused = await asking
    assert (refused.status_code, refused.json()["code"]) == (503, "replica_lost")
    assert refused.headers["Retry-After"] == "1", "the other is well"
    assert await pid(workers, MODELS[2]) != victim
    await stage.wait.remote("born", born + 1)


async def test_a_replica_that_hangs_is_passed_over_and_started_anew(
    workers: ClusterWorkers, fake: httpx.AsyncClient, stage: ray.actor.ActorHandle
) -> None:
    born = await stage.count.remote("born")
    hanging = await pid(workers, MODELS[5])
    os.kill(hanging, signal.SIGSTOP)
    try:
        assert await pid(workers, MODELS[5]) != hanging
        assert (await fake.get("/healthz")).status_code == 200
        assert len(await workers.states()) == 1
    finally:
        os.kill(hanging, signal.SIGKILL)
    await stage.wait.remote("born", born + 1)


async def test_a_replica_whose_device_is_lost_is_avoided_and_started_anew(workers: ClusterWorkers, stage: ray.actor.ActorHandle) -> None:
    born = await stage.count.remote("born")
    broken = await pid(workers, MODELS[3])
    await last(workers.run(call(MODELS[3], "break the device")))
    # the router hears of it within a second or so
    while await pid(workers, MODELS[3]) == broken:
        pass
    await stage.wait.remote("born", born + 1)


async def test_what_is_known_of_replicas_is_what_they_told(workers: ClusterWorkers) -> None:
    asked = ClusterWorkers(serve.get_deployment_handle("Models", "fake"))
    assert {s.replica for s in await asked.known()} == {s.replica for s in await workers.states()}


async def test_a_replica_that_is_let_go_is_closed(address: Address, stage: ray.actor.ActorHandle) -> None:
    closed = await stage.count.remote("closed")
    served = Registry([Model.model_validate(FAKE | {"id": MODELS[0]})])
    settings = Settings(device="cpu")
    await asyncio.to_thread(serve.run, cluster.replicas(settings, served, make), name="short", route_prefix=None)
    await asyncio.to_thread(serve.delete, "short")
    await stage.wait.remote("closed", closed + 1)


async def test_the_whole_way_with_an_engine_and_a_model(address: Address) -> None:
    async with httpx.AsyncClient(base_url=address("real"), headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        asked = {"inputs": "the red dog sits", "parameters": {"candidate_labels": ["a dog", "a cat"]}}
        answer = await client.post("/models/tiny/sorting", json=asked)
        assert answer.status_code == 200, answer.text
        assert {row["label"] for row in answer.json()} == {"a dog", "a cat"}
        assert (await client.get("/status/tiny/sorting")).json() == {"state": "loaded"}
        counted = (await client.get("/metrics")).text
    assert 'toolserver_loads_total{code="ok",model="tiny/sorting",replica="' in counted


@pytest.mark.parametrize(
    ("replicas", "device", "resources", "said"),
    [
        (4, "", {"CPU": 4, "GPU": 4}, ""),
        (4, "", {"CPU": 2, "GPU": 4}, ""),
        (4, "", {"CPU": 64, "GPU": 2}, "TOOLSERVER_REPLICAS is 4, and Ray has 2 GPUs: each replica needs one."),
        (2, "cpu", {"CPU": 2, "GPU": 1}, ""),
        (40, "", {"CPU": 2}, "TOOLSERVER_REPLICAS is 40, and Ray has 2 CPUs: that is enough for 19."),
    ],
)
def test_replicas_for_which_there_is_no_room_are_told_of(replicas: int, device: str, resources: dict[str, float], said: str) -> None:
    assert cluster.shortage(Settings(replicas=replicas, device=device), resources) == said


def test_what_is_set_wrong_ends_it_before_ray_starts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TOOLSERVER_REPLICAS", "many")
    with pytest.raises(SystemExit) as ended:
        cluster.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("toolserver.cluster: TOOLSERVER_REPLICAS: ")


def test_a_cluster_is_not_opened_without_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLSERVER_TOKEN", raising=False)
    with pytest.raises(ValueError, match="TOOLSERVER_TOKEN must be set"):
        cluster.build({})


def test_the_token_does_not_stand_in_the_configuration_of_serve() -> None:
    with pytest.raises(ValueError, match="by the variable TOOLSERVER_TOKEN alone"):
        cluster.build({"token": "secret"})
