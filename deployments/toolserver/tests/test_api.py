"""What who asks over HTTP is promised."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from toolserver.api import create_app, state_of
from toolserver.events import Answer, Failed, ModelState, ReplicaState
from toolserver.faults import Fault
from toolserver.guard import Bodies, refusal
from toolserver.settings import Settings
from toolserver.workers import Workers

from .fakes import STATE, FakeWorkers, model, png, registry, settings


@asynccontextmanager
async def client(workers: Workers, given: Settings | None = None, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(given or settings(), registry(), workers)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://server", headers=headers) as asked:
        yield asked


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def test_a_file_goes_to_the_model_as_it_came() -> None:
    workers = FakeWorkers(lambda call: Answer("application/json", b'[{"label":"cat"}]', 1.25))
    async with client(workers) as asked:
        answer = await asked.post("/models/tiny/finds", content=png(), headers={"Content-Type": "image/png", "Accept": "application/json"})
    assert answer.status_code == 200
    assert answer.json() == [{"label": "cat"}]
    assert answer.headers["X-Model"] == "tiny/finds"
    assert answer.headers["X-Compute-Time"] == "1.250"
    (call,) = workers.calls
    assert (call.model, call.task, call.content_type, call.accept, call.body) == (
        "tiny/finds",
        "object-detection",
        "image/png",
        "application/json",
        png(),
    )


@pytest.mark.parametrize(
    ("path", "parameters", "did"),
    [
        ("/pipeline/text-to-image", {}, ("tiny/draws", "text-to-image")),
        ("/pipeline/text-to-image", {"control_image": "aaaa", "control_mode": "pose"}, ("tiny/follows", "text-to-image+control")),
        ("/pipeline/image-to-image", {"mask_image": "aaaa"}, ("tiny/draws", "image-to-image+mask")),
        ("/models/tiny/draws/pipeline/image-to-image", {"prompt": "a hat"}, ("tiny/draws", "image-to-image")),
        ("/models/tiny/draws/pipeline/image-to-image", {"target_size": {"width": 9, "height": 9}}, ("tiny/draws", "image-to-image")),
        ("/models/tiny/draws", {"mask_image": "aaaa", "prompt": "a hat"}, ("tiny/draws", "image-to-image+mask")),
        ("/models/tiny/follows", {}, ("tiny/follows", "text-to-image+control")),
        ("/models/tiny/both", {"candidate_labels": ["cat"]}, ("tiny/both", "zero-shot-object-detection")),
        ("/models/tiny/both", {"max_new_tokens": 5}, ("tiny/both", "text-generation")),
    ],
)
async def test_parameters_tell_which_task_and_model_is_meant(path: str, parameters: dict[str, Any], did: tuple[str, str]) -> None:
    workers = FakeWorkers()
    async with client(workers) as asked:
        answer = await asked.post(path, json={"inputs": "x", "parameters": parameters})
    assert answer.status_code == 200
    assert [(c.model, c.task) for c in workers.calls] == [did]


async def test_the_type_of_a_file_tells_which_task_of_a_model_is_meant() -> None:
    workers = FakeWorkers()
    async with client(workers) as asked:
        answer = await asked.post("/models/tiny/both", content=png(), headers={"Content-Type": "image/png"})
    assert answer.status_code == 200
    assert workers.calls[0].task == "image-classification"


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/models/no/model", {"inputs": "x"}, 404, "unknown_model"),
        ("/pipeline/no-task", {"inputs": "x"}, 404, "unknown_task"),
        ("/pipeline/text-to-video", {"inputs": "x"}, 404, "unknown_task"),
        ("/models/tiny/finds/pipeline/text-to-image", {"inputs": "x"}, 404, "unknown_task"),
        ("/models/tiny/both", {"inputs": "x"}, 422, "missing_parameter"),
        ("/pipeline/text-to-image", {"parameters": {}}, 422, "missing_parameter"),
        ("/pipeline/text-to-image", {"inputs": "x", "parameters": []}, 422, "invalid_parameter"),
        ("/pipeline/text-to-image", {"inputs": "x", "parameters": {"control_mode": "secret"}}, 422, "invalid_parameter"),
        ("/models/tiny/follows", {"inputs": "x", "parameters": {"control_mode": "hed"}}, 422, "invalid_parameter"),
        ("/pipeline/text-to-image", [], 422, "invalid_input"),
        ("/nowhere", {"inputs": "x"}, 404, "unknown_path"),
        ("/healthz", {}, 405, "wrong_method"),
    ],
)
async def test_what_cannot_be_done_has_a_status_and_a_sentence(path: str, body: Any, status: int, code: str) -> None:
    workers = FakeWorkers()
    async with client(workers) as asked:
        answer = await asked.post(path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["error"].endswith(".")
    assert "secret" not in answer.text
    assert workers.calls == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"inputs": NaN}', b'{"inputs": ' + b"[" * 5000, b'{"inputs": ' + b"9" * 9000 + b"}", b'{"inputs":"\xff"}']
)
async def test_json_that_is_none_is_refused(body: bytes) -> None:
    async with client(FakeWorkers()) as asked:
        answer = await asked.post("/pipeline/text-to-image", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")


async def test_json_of_very_many_parts_is_refused_before_it_is_read() -> None:
    async with client(FakeWorkers()) as asked:
        answer = await asked.post(
            "/pipeline/text-to-image", content=b'{"inputs":[' + b"[]," * 600_000 + b"[]]}", headers={"Content-Type": "application/json"}
        )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_faults_of_the_work_are_answered_with_when_to_come_again() -> None:
    fault = Fault("too_busy", "Too many wait.", retry_after=7.4)
    async with client(FakeWorkers(lambda call: Failed(fault))) as asked:
        answer = await asked.post("/pipeline/text-to-image", json={"inputs": "x"})
    assert answer.status_code == 503
    assert answer.json() == {"error": "Too many wait.", "code": "too_busy", "estimated_time": 7.4}
    assert answer.headers["Retry-After"] == "7"


async def test_workers_that_break_are_no_secret_but_what_they_say_is(caplog: pytest.LogCaptureFixture) -> None:
    def breaks(_: object) -> Answer:
        raise RuntimeError("the user wrote: hush")

    async with client(FakeWorkers(breaks)) as asked:
        answer = await asked.post("/pipeline/text-to-image", json={"inputs": "hush"})
    assert (answer.status_code, answer.json()["code"]) == (500, "model_failed")
    assert "hush" not in answer.text + caplog.text


# Who may ask.


@pytest.mark.parametrize("path", ["/capabilities", "/metrics", "/status/tiny/finds", "/jobs/x", "/nowhere"])
@pytest.mark.parametrize("given", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic right"}, {"Authorization": "Bearer"}])
async def test_without_the_token_nothing_is_told(path: str, given: dict[str, str]) -> None:
    async with client(FakeWorkers(), settings(token="right")) as asked:
        answer = await asked.get(path, headers=given)
    assert (answer.status_code, answer.json()["code"]) == (401, "bad_token")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_with_the_token_all_is_there_and_health_needs_none() -> None:
    async with client(FakeWorkers(), settings(token="right")) as asked:
        assert (await asked.get("/healthz")).status_code == 200
        assert (await asked.get("/capabilities", headers={"Authorization": "Bearer right"})).status_code == 200
        assert (await asked.post("/pipeline/text-to-image", json={"inputs": "x"})).status_code == 401


# How much.


async def test_a_body_that_tells_it_is_too_large_is_not_read() -> None:
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append(1)
        yield b"x" * 2000

    async with client(FakeWorkers(), settings(max_body=1000)) as asked:
        answer = await asked.post("/models/tiny/finds", content=b"x" * 1001, headers={"Content-Type": "image/png"})
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        answer = await asked.post("/models/tiny/finds", content=body(), headers={"Content-Type": "image/png"})
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_a_body_without_a_length_is_refused_while_it_streams() -> None:
    """No more of it is taken than the limit and a piece."""
    app = create_app(settings(max_body=1000), registry(), FakeWorkers())
    pieces = 0
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        nonlocal pieces
        pieces += 1
        return {"type": "http.request", "body": b"x" * 300, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(_scope("POST", "/models/tiny/finds", {"content-type": "image/png"}), receive, send)
    assert sent[0]["status"] == 413
    assert pieces == 4


async def test_bodies_share_a_room_and_who_finds_none_is_told_to_come_again() -> None:
    workers = FakeWorkers(held=True)
    given = settings(max_body=1000, patience=0.05)
    async with client(workers, given) as asked:
        jobs = [await asked.post("/models/tiny/finds", content=b"x" * 1000, headers={"Content-Type": "image/png"}) for _ in range(8)]
        assert {job.status_code for job in jobs} == {202}
        refused = await asked.post("/models/tiny/finds", content=b"x", headers={"Content-Type": "image/png"})
        assert (refused.status_code, refused.json()["code"]) == (503, "too_busy")
        await asked.delete(jobs[0].headers["Location"])
        await workers.cancelled.wait()
        again = await asked.post("/models/tiny/finds", content=b"x", headers={"Content-Type": "image/png"})
        assert again.status_code == 202


# Long jobs.


async def ended(asked: httpx.AsyncClient, where: str) -> dict[str, Any]:
    """What is told of a job once it is over, which takes a few turns of the loop."""
    for _ in range(100):
        told = (await asked.get(where)).json()
        if told["status"] not in ("queued", "running"):
            return told
        await asyncio.sleep(0)
    raise AssertionError("it does not end")


async def test_what_takes_long_becomes_a_job() -> None:
    workers = FakeWorkers(lambda call: Answer("image/png", b"made", 2.0), held=True)
    async with client(workers, settings(patience=0)) as asked:
        accepted = await asked.post("/models/tiny/finds", content=png(), headers={"Content-Type": "image/png"})
        assert accepted.status_code == 202
        where = accepted.headers["Location"]
        assert where == f"/jobs/{accepted.json()['id']}"
        await workers.came.wait()
        told = (await asked.get(where)).json()
        assert (told["id"], told["status"], told["progress"]) == (accepted.json()["id"], "running", 0.25)
        assert told["estimated_time"] >= 0
        early = await asked.get(where + "/result")
        assert (early.status_code, early.json()["code"]) == (409, "not_done")
        workers.go.set()
        told = await ended(asked, where)
        assert (told["status"], told["progress"]) == ("done", 1)
        result = await asked.get(where + "/result")
    assert (result.status_code, result.content, result.headers["Content-Type"]) == (200, b"made", "image/png")
    assert result.headers["X-Model"] == "tiny/finds"


async def test_a_job_that_failed_tells_why() -> None:
    workers = FakeWorkers(lambda call: Failed(Fault("invalid_input", "The picture is empty.")), held=True)
    async with client(workers) as asked:
        accepted = await asked.post("/pipeline/text-to-image", json={"inputs": "x"}, headers={"Prefer": "respond-async"})
        assert accepted.status_code == 202
        assert accepted.headers["Preference-Applied"] == "respond-async"
        workers.go.set()
        where = accepted.headers["Location"]
        told = await ended(asked, where)
        assert told["status"] == "failed"
        assert told["error"] == {"code": "invalid_input", "message": "The picture is empty."}
        result = await asked.get(where + "/result")
    assert (result.status_code, result.json()["code"]) == (422, "invalid_input")


async def test_a_job_that_is_called_off_stops() -> None:
    workers = FakeWorkers(held=True)
    async with client(workers) as asked:
        accepted = await asked.post("/pipeline/text-to-image", json={"inputs": "x"}, headers={"Prefer": "wait=0"})
        where = accepted.headers["Location"]
        await workers.came.wait()
        off = await asked.delete(where)
        assert off.json()["status"] == "cancelled"
        await workers.cancelled.wait()
        assert (await asked.get(where)).json()["status"] == "cancelled"
        assert (await asked.get(where + "/result")).json()["code"] == "not_done"


@pytest.mark.parametrize("ask", [("GET", "/jobs/x"), ("GET", "/jobs/x/result"), ("DELETE", "/jobs/x")])
async def test_a_job_that_nobody_knows_is_none(ask: tuple[str, str]) -> None:
    async with client(FakeWorkers()) as asked:
        answer = await asked.request(*ask)
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_job")


async def test_who_goes_away_has_the_work_called_off() -> None:
    workers = FakeWorkers(held=True)
    app = create_app(settings(), registry(), workers)
    leave = asyncio.Event()
    first = True

    async def receive() -> dict[str, Any]:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": b'{"inputs": "x"}', "more_body": False}
        await leave.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None: ...

    asked = asyncio.create_task(app(_scope("POST", "/pipeline/text-to-image", {"content-type": "application/json"}), receive, send))
    await workers.came.wait()
    leave.set()
    await asked
    await workers.cancelled.wait()


async def test_a_body_that_stands_still_is_refused_and_its_room_given_back() -> None:
    came = iter([{"type": "http.request", "body": b"x", "more_body": True}])

    async def receive() -> Any:
        return next(came, None) or await asyncio.Event().wait()

    bodies = Bodies(100, 1, stall=0)
    with pytest.raises(Fault) as refused:
        await bodies.read(Request(_scope("POST", "/", {"content-length": "100"}), receive))
    assert (refused.value.code, refused.value.status) == ("too_slow", 408)
    assert refusal(refused.value).headers["Connection"] == "close"
    assert bodies.room.free == bodies.room.size


# What is told of the server.


async def test_a_default_that_cannot_be_loaded_gives_way_to_a_model_that_can() -> None:
    workers = FakeWorkers()
    served = registry(
        model("tiny/first", "text-to-image"),
        model("tiny/second", "text-to-image", memory=4096),
        model("tiny/third", "text-to-image"),
        model("tiny/alone", "text-to-speech"),
    )
    missing = [ModelState(f"tiny/{name}", "unavailable", reason=Fault("weights_missing", "Not here.")) for name in ("first", "alone")]
    app = create_app(settings(), served, workers)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://server") as asked:
        for states, default in (([STATE], "tiny/first"), ([replace(STATE, models=tuple(missing))], "tiny/third"), ([], "tiny/first")):
            workers.replicas = states
            told = (await asked.get("/capabilities")).json()["tasks"]
            assert told["text-to-image"] == {"default": default, "models": ["tiny/first", "tiny/second", "tiny/third"]}
            assert told["text-to-speech"]["default"] == "tiny/alone"
            answer = await asked.post("/pipeline/text-to-image", json={"inputs": "a"})
            assert answer.headers["X-Model"] == default
        workers.replicas = [replace(STATE, models=tuple(missing))]
        await asked.post("/models/tiny/first", json={"inputs": "a"})
    assert workers.calls[-1].model == "tiny/first", "one that is named is the one that is asked"


async def test_capabilities_tell_what_is_served_and_of_which_maps() -> None:
    async with client(FakeWorkers()) as asked:
        told = (await asked.get("/capabilities")).json()
    assert told["tasks"]["text-to-image"] == {"default": "tiny/draws", "models": ["tiny/draws"]}
    assert told["tasks"]["text-to-image+control"] == {"default": "tiny/follows", "models": ["tiny/follows"], "modes": ["pose", "depth"]}
    assert "image-to-image+size" not in told["tasks"]
    draws = told["models"]["tiny/draws"]
    assert draws["tasks"] == ["text-to-image", "image-to-image", "image-to-image+mask"]
    assert (draws["state"], draws["vram_bytes"], draws["licence"], draws["tier"]) == ("loadable", 64 << 20, "MIT", "minimal")
    assert told["models"]["tiny/follows"]["modes"] == ["pose", "depth"]
    assert told["concurrency"] == 4
    assert told["replicas"] == [{"device": "CPU", "budget": 1 << 30, "used": 0}]


def _replica(*states: ModelState, budget: int = 1 << 30, fault: Fault | None = None) -> ReplicaState:
    return ReplicaState("r", "GPU", budget, states, fault=fault)


GONE = Fault("device_lost", "The device is lost.")
WEAK = ModelState("tiny/finds", "unavailable", reason=Fault("weights_missing", "Its weights are missing."))


@pytest.mark.parametrize(
    ("replicas", "state"),
    [
        ([], "loadable"),
        ([_replica()], "loadable"),
        ([_replica(ModelState("tiny/finds", "loading")), _replica()], "loading"),
        ([_replica(ModelState("tiny/finds", "loading")), _replica(ModelState("tiny/finds", "loaded"))], "loaded"),
        ([_replica(WEAK), _replica()], "loadable"),
        ([_replica(WEAK)], "unavailable"),
        ([_replica(budget=1 << 20)], "unavailable"),
        ([_replica(budget=1 << 20), _replica()], "loadable"),
        ([_replica(ModelState("tiny/finds", "loaded"), fault=GONE)], "unavailable"),
    ],
)
def test_a_model_is_unavailable_only_where_no_replica_can_load_it(replicas: list[ReplicaState], state: str) -> None:
    told, reason = state_of(model("tiny/finds", "object-detection"), replicas)
    assert told == state
    assert bool(reason) == (state == "unavailable")


async def test_the_status_of_a_model_is_told() -> None:
    workers = FakeWorkers()
    workers.replicas = [_replica(WEAK)]
    async with client(workers) as asked:
        assert (await asked.get("/status/tiny/finds")).json() == {"state": "unavailable", "reason": "Its weights are missing."}
        assert (await asked.get("/status/tiny/draws")).json() == {"state": "loadable"}
        assert (await asked.get("/status/no/model")).status_code == 404


async def test_health_is_that_of_the_replicas() -> None:
    workers = FakeWorkers()
    async with client(workers) as asked:
        workers.replicas = [_replica(fault=GONE), STATE]
        assert (await asked.get("/healthz")).status_code == 200
        workers.replicas = [_replica(fault=GONE)]
        ill = await asked.get("/healthz")
        assert (ill.status_code, ill.json()["error"]) == (503, "The device is lost.")
        workers.replicas = []
        assert (await asked.get("/healthz")).status_code == 503


async def test_metrics_count_requests_jobs_and_replicas_by_names_of_ours_alone() -> None:
    workers = FakeWorkers()
    workers.replicas = [_replica(ModelState("tiny/finds", "loaded", 77))]
    async with client(workers) as asked:
        await asked.post("/pipeline/text-to-image", json={"inputs": "x"})
        await asked.get("/secret-path")
        page = (await asked.get("/metrics")).text
    assert 'toolserver_http_requests_total{method="POST",path="/pipeline/{task}",status="200"} 1.0' in page
    assert 'toolserver_replica_used_bytes{device="GPU",replica="r"} 77.0' in page
    assert 'toolserver_jobs{status="running"} 0.0' in page
    assert "secret" not in page


async def test_each_request_is_one_line_in_the_log_without_what_was_sent(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolserver")
    async with client(FakeWorkers(), settings(token="t0ken"), Authorization="Bearer t0ken") as asked:
        await asked.post("/models/tiny/draws/pipeline/text-to-image?key=hush", json={"inputs": "hush"})
    (line,) = [r.getMessage() for r in caplog.records if r.name == "toolserver.access"]
    assert line.startswith("POST /models/{org}/{model}/pipeline/{task} model=tiny/draws status=200 seconds=")
    assert "hush" not in caplog.text
    assert "t0ken" not in caplog.text


def _scope(method: str, path: str, headers: dict[str, str]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
