"""One replica: requests are read, done and answered, and what goes wrong is told."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from toolserver import worker as module
from toolserver.events import Answer, Call, Event, Failed, Progress
from toolserver.faults import Fault
from toolserver.worker import Worker
from toolserver.workers import LocalWorkers

from .fakes import STATE, FakeEngine, png, registry, settings


def call(
    task: str = "object-detection", name: str = "tiny/finds", body: bytes | None = None, kind: str = "image/png", accept: str = ""
) -> Call:
    return Call(name, task, kind, accept, png() if body is None else body)


async def done(worker: Worker, asked: Call) -> list[Event]:
    return [event async for event in worker.run(asked)]


async def test_a_request_is_read_done_and_answered() -> None:
    engine = FakeEngine(lambda request: [{"size": request.inputs.size}])
    events = await done(Worker(settings(), registry(), engine), call())
    assert events[0] == Progress(0.0, running=False)
    assert events[-1] == Answer("application/json", b'[{"size":[8,6]}]', 0.25)
    assert engine.requests[0].task == "object-detection"


async def test_the_answer_is_of_the_type_that_is_preferred() -> None:
    engine = FakeEngine(lambda request: Image.new("RGB", (4, 4)))
    body = json.dumps({"inputs": "a cat", "parameters": {"seed": 7}}).encode()
    events = await done(Worker(settings(), registry(), engine), call("text-to-image", "tiny/draws", body, "application/json", "image/jpeg"))
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert answer.content_type == "image/jpeg"
    assert Image.open(BytesIO(answer.body)).size == (4, 4)
    assert engine.requests[0].parameters == {"seed": 7}


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (call(body=b"hush"), "invalid_input"),
        (call(name="no/model"), "unknown_model"),
        (call("text-to-image"), "unknown_task"),
        (call("no-task"), "unknown_task"),
        (call(kind="application/json", body=b'{"inputs": "aaaa", "parameters": {"hush": 1}}'), "invalid_parameter"),
    ],
)
async def test_what_cannot_be_done_is_told_and_does_not_reach_the_device(asked: Call, code: str) -> None:
    engine = FakeEngine(lambda request: None)
    (event,) = await done(Worker(settings(), registry(), engine), asked)
    assert isinstance(event, Failed)
    assert event.fault.code == code
    assert engine.requests == []


@pytest.mark.parametrize("code", ["out_of_memory", "device_lost", "weights_damaged"])
async def test_faults_of_the_device_are_passed_on(code: Any) -> None:
    def fails(_: object) -> None:
        raise Fault(code, "It did not go.")

    events = await done(Worker(settings(), registry(), FakeEngine(fails)), call())
    assert isinstance(events[-1], Failed)
    assert (events[-1].fault.code, events[-1].fault.message) == (code, "It did not go.")


async def test_what_nobody_expected_is_logged_without_what_was_sent(caplog: pytest.LogCaptureFixture) -> None:
    def breaks(_: object) -> None:
        raise KeyError("hush")

    events = await done(Worker(settings(), registry(), FakeEngine(breaks)), call())
    assert isinstance(events[-1], Failed)
    assert events[-1].fault.code == "model_failed"
    assert "KeyError at" in caplog.text
    assert "hush" not in caplog.text


@pytest.mark.parametrize("made", [None, "a text", [1, 2]])
async def test_a_result_of_another_form_is_a_failure_of_the_model(made: Any) -> None:
    worker = Worker(settings(), registry(), FakeEngine(lambda request: made))
    events = await done(worker, call("text-to-image", "tiny/draws", b'{"inputs": "x"}', "application/json"))
    assert isinstance(events[-1], Failed)
    assert events[-1].fault.code == "model_failed"


async def test_work_that_is_called_off_is_called_off_at_the_device_and_leaves_nothing() -> None:
    engine = FakeEngine(lambda request: [])
    engine.go.clear()
    worker = Worker(settings(), registry(), engine)
    running = asyncio.create_task(done(worker, call()))
    await engine.came.wait()
    assert worker._room.free < worker._room.size
    running.cancel()
    await engine.cancelled.wait()
    await asyncio.gather(running, return_exceptions=True)
    assert worker._room.free == worker._room.size
    assert worker._calls == 0


async def test_closing_the_events_calls_the_work_off() -> None:
    worker = Worker(settings(), registry(), FakeEngine(lambda request: []))
    async with aclosing(worker.run(call())) as events:  # type: ignore[type-var]
        assert isinstance(await anext(events), Progress)
    assert worker._room.free == worker._room.size
    assert worker._calls == 0


async def test_pictures_wait_until_there_is_memory_for_them() -> None:
    """A picture of all the pixels that are taken has a sixth of the room."""
    engine = FakeEngine(lambda request: [])
    engine.go.clear()
    worker = Worker(settings(max_pixels=1_000_000), registry(), engine)
    large = call(body=png(1000, 1000))
    running = [asyncio.create_task(done(worker, large)) for _ in range(12)]
    while len(engine.requests) < 5:
        await engine.came.wait()
        engine.came.clear()
    assert worker._room.free < 4_000_000 + 4 * len(large.body)
    engine.go.set()
    assert {type(events[-1]) for events in await asyncio.gather(*running)} == {Answer}
    assert worker._room.free == worker._room.size


async def test_more_requests_than_may_wait_are_told_to_come_again() -> None:
    engine = FakeEngine(lambda request: [])
    engine.go.clear()
    worker = Worker(settings(max_waiting=1), registry(), engine)
    running = [asyncio.create_task(done(worker, call())) for _ in range(1 + module.MORE)]
    await engine.came.wait()
    (refused,) = await done(worker, call())
    assert isinstance(refused, Failed)
    assert (refused.fault.code, refused.fault.retry_after) == ("too_busy", 10)
    engine.go.set()
    assert {type(events[-1]) for events in await asyncio.gather(*running)} == {Answer}


async def test_a_worker_in_this_process_is_the_workers() -> None:
    engine = FakeEngine(lambda request: [])
    workers = LocalWorkers(Worker(settings(), registry(), engine))
    assert await workers.states() == [STATE]
    events = [event async for event in workers.run(call())]
    assert isinstance(events[-1], Answer)
    await workers.close()
    assert engine.closed
