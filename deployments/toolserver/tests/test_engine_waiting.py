"""Who waits is served: none for ever, none for nothing, and nobody who is gone."""

import asyncio

import pytest

from toolserver.faults import Cancelled, Fault
from toolserver.queues import PASSES
from toolserver.weights import Files, Weights
from toolserver.work import Request

from .engine_rig import TASK, Gate, is_waiting, model, rig, until

__all__ = ["rig"]


async def test_a_hundred_requests_for_ten_models_are_done_without_reloading_for_each(rig):
    r = rig([model(f"m{i}", batch=4) for i in range(10)], memory=35)
    answers = await asyncio.gather(*(r.ask(f"m{i % 10}", i) for i in range(100)))
    assert answers == [f"done {i}" for i in range(100)]
    assert set(r.loads) == {f"m{i}" for i in range(10)}
    assert len(r.loads) <= 30  # each that is loaded does a whole batch at least, and mostly all that waits
    assert len(r.runs) <= 40


async def test_a_model_that_is_always_asked_for_does_not_keep_another_out(rig):
    r = rig([model("busy"), model("other")], memory=15)
    served = []
    other = None

    async def again():
        nonlocal other
        while other is None or not other.done():
            await r.ask("busy", len(served))
            served.append("busy")
            if other is None:
                other = r.start("other")
                waited_from.append(len(served))

    waited_from: list[int] = []
    streams = [asyncio.create_task(again()) for _ in range(5)]
    await asyncio.gather(*streams)
    assert await other == "done x"
    before = [name for name, _ in r.runs].index("other")
    assert before - waited_from[0] <= PASSES + 5


async def test_what_waits_for_a_model_that_is_there_goes_first(rig):
    r = rig([model("a"), model("b")], memory=15)
    gate = Gate()

    def work(described, inputs, step):
        if inputs == [0]:
            gate()
        return inputs

    r.do = work
    first = r.start("a", 0)
    await gate.reached()
    asked = [r.start(name, i) for i, name in enumerate("babab", 1)]
    await r.settled()
    gate.open()
    await asyncio.gather(first, *asked)
    assert [name for name, _ in r.runs] == ["a", "a", "a", "b", "b", "b"]
    assert r.loads == ["a", "b"]


async def test_one_too_many_is_told_to_come_again(rig):
    r = rig([model("a")], max_waiting=2)
    gate = Gate()
    r.do = lambda described, inputs, step: [gate()]
    asked = [r.start("a")]
    await gate.reached()
    asked += [r.start("a") for _ in range(2)]
    await r.settled()
    fault = await r.ask("a")
    assert (fault.code, fault.status) == ("too_busy", 503)
    assert 1 <= fault.retry_after <= 60
    gate.open()
    assert await asyncio.gather(*asked) == [None] * 3
    assert await r.ask("a") is None


async def test_a_request_that_is_called_off_while_it_waits_is_never_run(rig):
    r = rig([model("a")])
    gate = Gate()

    def work(described, inputs, step):
        if inputs == ["first"]:
            gate()
        return inputs

    r.do = work
    first = r.start("a", "first")
    await gate.reached()
    gone, stays = r.start("a", "gone"), r.start("a", "stays")
    await r.settled()
    gone.cancel()
    await asyncio.wait([gone])
    assert r.engine.state().waiting == 1
    gate.open()
    assert await stays == "stays"
    await first
    assert [inputs for _, inputs in r.runs] == [["first"], ["stays"]]
    assert r.count("toolserver_requests_total", model="fake/a", task=TASK, code="cancelled") == 1


async def test_closing_the_events_calls_the_work_off(rig):
    r = rig([model("a")])
    gate = Gate()
    r.loading = lambda described, place: gate()
    events = r.engine.run("fake/a", Request(TASK, "x"))
    assert is_waiting(await anext(events))
    await gate.reached()
    await events.aclose()
    assert r.engine.state().waiting == 0
    gate.open()
    await until(lambda: r.loaded() == ["a"])
    assert r.runs == []


async def test_a_model_that_nobody_waits_for_any_more_is_not_loaded(rig):
    r = rig([model("a"), model("b")], memory=15)
    gate = Gate()
    r.do = lambda described, inputs, step: [gate()]
    a = r.start("a")
    await gate.reached()
    b = r.start("b")
    await until(lambda: r.engine._cache.crowded)
    b.cancel()
    await asyncio.wait([b])
    gate.open()
    await a
    await until(lambda: not r.engine._bringing)
    assert r.loads == ["a"]
    r.do = lambda described, inputs, step: inputs
    assert await r.ask("b", "again") == "again"


async def test_a_batch_goes_on_for_who_still_waits_and_stops_at_the_next_step_for_nobody(rig):
    r = rig([model("a", batch=2)])
    loading, gates, steps = Gate(), [Gate(), Gate()], []

    def work(described, inputs, step):
        try:
            for i, gate in enumerate(gates):
                step(i / 4)
                steps.append(i)
                gate()
            step(0.75)
            steps.append(2)
        except Cancelled:
            steps.append("stopped")
            raise
        return inputs

    r.loading = lambda described, place: loading()
    r.do = work
    one, two = r.start("a", 1), r.start("a", 2)
    await loading.reached()
    loading.open()
    await gates[0].reached()
    one.cancel()
    await asyncio.wait([one])
    gates[0].open()
    await gates[1].reached()
    assert steps == [0, 1]
    two.cancel()
    await asyncio.wait([two])
    gates[1].open()
    await until(lambda: r.engine.state().running == 0)
    assert steps == [0, 1, "stopped"]
    r.do = lambda described, inputs, step: inputs
    assert await r.ask("a", 3) == 3


async def test_a_model_whose_files_are_long_in_coming_holds_up_no_other(rig):
    class Slow(Weights):
        def find(self, described):
            if described.id == "fake/slow":
                gate()
            return Files(self._folder / described.id)

    gate = Gate()
    r = rig([model("slow"), model("a")], memory=15)
    r.engine._weights = Slow(r.engine._settings.weights)
    slow = r.start("slow")
    await gate.reached()
    assert await r.ask("a") == "done x"
    assert ("fake/slow", "loading") in [(m.model, m.state) for m in r.engine.state().models]
    gate.open()
    assert await slow == "done x"


async def test_a_fault_is_not_waited_behind(rig):
    """A model that cannot be loaded ends its own requests, and others go on."""
    r = rig([model("broken"), model("a")], memory=15)

    def loading(described, place):
        if described.id == "fake/broken":
            raise Fault("weights_mismatch", "These do not fit.")

    r.loading = loading
    answers = await asyncio.gather(*(r.ask(name) for name in ("broken", "a", "broken", "a")))
    assert [getattr(a, "code", a) for a in answers] == ["weights_mismatch", "done x"] * 2


@pytest.mark.parametrize("seconds", [0.5, 40])
async def test_short_and_long_requests_are_passed_over_for_a_bounded_time(rig, seconds):
    """A model with long runs passes fewer requests over than one with short ones."""
    r = rig([model("busy"), model("other")], memory=15)
    total = 100
    gate = Gate()

    def work(described, inputs, step):
        if inputs == [0]:
            gate()
        r.now += seconds
        return inputs

    r.do = work
    asked = [r.start("busy", 0)]
    await gate.reached()
    asked.append(r.start("other", "x"))
    await until(lambda: r.engine._cache.crowded)
    asked += [r.start("busy", i) for i in range(1, total)]
    await r.settled()
    gate.open()
    await asyncio.gather(*asked)
    passed = [name for name, _ in r.runs].index("other") - 1
    assert passed <= (PASSES if seconds == 0.5 else 1) + 1


async def test_who_was_passed_over_too_often_takes_the_room_of_others_while_one_runs(rig, monkeypatch):
    monkeypatch.setattr("toolserver.queues.PASSES", 1)
    r = rig([model("a"), model("idle"), model("cold")], memory=25)
    gates = {1: Gate(), 2: Gate()}

    def work(described, inputs, step):
        if described.id == "fake/a" and inputs[0] in gates:
            gates[inputs[0]]()
        return inputs

    r.do = work
    await r.ask("idle", 0)
    asked = [r.start("a", 1)]
    await gates[1].reached()
    asked += [r.start("idle", 0), r.start("cold", 0)]
    await until(lambda: r.engine._cache.crowded)
    asked.append(r.start("a", 2))
    await r.settled()
    assert r.loaded() == ["a", "idle"]
    gates[1].open()
    await gates[2].reached()
    await until(lambda: r.loaded() == ["a", "cold"])
    gates[2].open()
    assert await asyncio.gather(*asked) == [1, 0, 0, 2]
