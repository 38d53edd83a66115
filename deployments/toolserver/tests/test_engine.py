"""What is asked of the engine is done: with progress, in batches, for whom it was asked."""

import asyncio

import pytest
import torch

from toolserver.events import ModelState, Progress
from toolserver.faults import Fault
from toolserver.work import Request

from .engine_rig import MIB, TASK, Gate, model, rig, until

__all__ = ["rig"]


async def test_progress_is_told_until_the_result(rig):
    r = rig([model("a")])

    def work(described, inputs, step):
        gate()
        for done in (0.25, 0.5):
            step(done)
        return ["picture"]

    r.do, gate = work, Gate()
    told = []
    async for event in r.engine.run("fake/a", Request(TASK, "x")):
        told.append(event)
        if event == Progress(0, running=True):
            gate.open()
    assert told[:2] == [Progress(0, running=False), Progress(0, running=True)]
    assert told[-1] == "picture"
    steps = [e.done for e in told[1:-1]]
    assert steps == sorted(steps)
    assert set(steps) <= {0, 0.25, 0.5}  # of what comes faster than it is heard only the last is told


async def test_a_model_is_loaded_once_for_all_that_wait(rig):
    r = rig([model("a", batch=1)])
    gate = Gate()
    r.loading = lambda described, place: gate()
    asked = [r.start("a", i) for i in range(5)]
    await gate.reached()
    assert [(m.model, m.state) for m in r.engine.state().models] == [("fake/a", "loading")]
    assert r.engine.state().waiting == 5
    gate.open()
    assert await asyncio.gather(*asked) == [f"done {i}" for i in range(5)]
    assert r.loads == ["a"]
    assert r.engine.state().models == (ModelState("fake/a", "loaded", 10 * MIB),)


async def test_what_waits_is_run_together_up_to_the_models_batch(rig):
    r = rig([model("a", batch=4)])
    gate = Gate()

    def work(described, inputs, step):
        if inputs == [0]:
            gate()
        return [f"of {i}" for i in inputs]

    r.do = work
    first = r.start("a", 0)
    await gate.reached()  # it did not wait for others to go with it
    asked = [r.start("a", i) for i in range(1, 7)]
    await r.settled()
    assert r.engine.state().waiting == 6
    assert r.engine.state().running == 1
    gate.open()
    assert await asyncio.gather(first, *asked) == [f"of {i}" for i in range(7)]
    assert [inputs for _, inputs in r.runs] == [[0], [1, 2, 3, 4], [5, 6]]


async def test_only_what_goes_together_is_run_together(rig):
    r = rig([model("a", batch=8)])
    r.key = lambda request: request.parameters.get("width")
    gate = Gate()
    r.loading = lambda described, place: gate()
    widths = [64, 128, None, 64, None, 128, 64]
    asked = [r.start("a", i, **({"width": w} if w else {})) for i, w in enumerate(widths)]
    await gate.reached()
    gate.open()
    assert await asyncio.gather(*asked) == [f"done {i}" for i in range(7)]
    assert [inputs for _, inputs in r.runs] == [[0, 3, 6], [1, 5], [2], [4]]


async def test_a_request_whose_key_cannot_be_told_is_run_alone(rig):
    def key(request):
        if request.inputs == "odd":
            raise KeyError("width")
        return []  # which cannot be hashed

    r = rig([model("a", batch=8)])
    r.key = key
    gate = Gate()
    r.loading = lambda described, place: gate()
    asked = [r.start("a", i) for i in ("odd", "even", "even")]
    await gate.reached()
    gate.open()
    assert await asyncio.gather(*asked) == ["done odd", "done even", "done even"]
    assert [inputs for _, inputs in r.runs] == [["odd"], ["even"], ["even"]]


async def test_models_are_run_without_gradients_in_full_precision_on_a_cpu(rig):
    r = rig([model("a", precision="float16")])
    seen = []
    r.loading = lambda described, place: seen.append((place.device, place.dtype, place.folder.name))
    r.do = lambda described, inputs, step: [torch.is_inference_mode_enabled()]
    assert await r.ask("a") is True
    assert seen == [("cpu", torch.float32, "a")]


async def test_one_loads_while_another_runs(rig):
    r = rig([model("a"), model("b")])
    running, loading = Gate(), Gate()
    r.do = lambda described, inputs, step: [running() if described.id == "fake/a" else None]
    r.loading = lambda described, place: loading() if described.id == "fake/b" else None
    a = r.start("a")
    await running.reached()
    b = r.start("b")
    await loading.reached()
    loading.open()
    await until(lambda: r.loaded() == ["a", "b"])
    running.open()
    await asyncio.gather(a, b)


@pytest.mark.parametrize(("name", "task", "code"), [("fake/none", TASK, "unknown_model"), ("fake/a", "translation", "unknown_task")])
async def test_what_the_server_does_not_have_is_said_at_once(rig, name, task, code):
    r = rig([model("a")])
    with pytest.raises(Fault) as caught:
        await anext(r.engine.run(name, Request(task, "x")))
    assert caught.value.code == code
    assert r.loads == []


async def test_the_time_of_the_device_is_shared_by_a_batch(rig):
    r = rig([model("a", batch=4)])
    gate = Gate()
    r.loading = lambda described, place: gate()

    def work(described, inputs, step):
        r.now += 3.0
        return inputs

    async def timed():
        seconds = []
        async for _ in r.engine.run("fake/a", Request(TASK, "x"), meter=seconds.append):
            pass
        return seconds

    r.do = work
    asked = [asyncio.create_task(timed()) for _ in range(2)]
    await gate.reached()
    gate.open()
    assert await asyncio.gather(*asked) == [[1.5], [1.5]]
    assert r.count("toolserver_device_seconds_total", model="fake/a", task=TASK) == 3.0
    assert r.count("toolserver_batches_total", model="fake/a") == 1


async def test_it_is_counted_what_happened(rig):
    r = rig([model("a"), model("b")], memory=15)

    def work(described, inputs, step):
        if inputs == ["bad"]:
            raise Fault("invalid_input", "This picture is empty.")
        return inputs

    r.do = work
    for name, inputs in [("a", "x"), ("a", "bad"), ("b", "x")]:
        await r.ask(name, inputs)
    assert r.count("toolserver_requests_total", model="fake/a", task=TASK, code="ok") == 1
    assert r.count("toolserver_requests_total", model="fake/a", task=TASK, code="invalid_input") == 1
    assert r.count("toolserver_loads_total", model="fake/b", code="ok") == 1
    assert r.count("toolserver_evictions_total", model="fake/a") == 1
    assert r.count("toolserver_loaded_bytes") == 10 * MIB
    assert r.count("toolserver_budget_bytes") == 15 * MIB


async def test_a_server_that_stops_says_so_to_all(rig):
    r = rig([model("a")])
    entered = Gate()
    stopped = []

    def work(described, inputs, step):
        entered()
        try:
            while True:
                step(0.5)
        except BaseException as err:
            stopped.append(type(err).__name__)
            raise

    r.do = work
    asked = [r.start("a", i) for i in range(3)]
    await entered.reached()
    entered.open()
    await r.engine.close()
    assert {(await a).code for a in asked} == {"replica_lost"}
    assert stopped == ["Cancelled"]
    assert (await r.ask("a")).code == "replica_lost"
    assert r.loaded() == []
    await r.engine.close()  # twice is as good as once
