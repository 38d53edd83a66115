"""Models share the memory of a device: who leaves, who waits, and what happens if it is not enough."""

import asyncio
import threading
import weakref
from concurrent.futures import thread

import pytest
import torch

from .engine_rig import LIMIT, MIB, FakeDevice, Gate, model, rig, until

__all__ = ["rig"]

OOM = torch.OutOfMemoryError


async def test_the_least_recently_used_model_leaves(rig):
    r = rig([model("a"), model("b"), model("c")], memory=25)
    for name in ("a", "b", "a", "c"):
        assert await r.ask(name) == "done x"
    assert r.loaded() == ["a", "c"]
    await r.ask("a")
    assert r.loads == ["a", "b", "c"]


async def test_as_many_leave_as_are_needed_and_no_more(rig):
    r = rig([model("a"), model("b"), model("c"), model("large", 20)], memory=35)
    for name in ("a", "b", "c", "large"):
        await r.ask(name)
    assert r.loaded() == ["c", "large"]


def watched(r):
    """Tells how many of the models that were ever loaded still take memory."""
    kept, real = [], r.load

    def load(described, place):
        loaded = real(described, place)
        kept.append(weakref.ref(loaded.module.weight))
        return loaded

    r.load = load
    return lambda: sum(ref() is not None for ref in kept)


async def test_nothing_is_left_of_a_model_when_the_next_one_is_loaded(rig):
    r = rig([model("a"), model("b")], memory=15)
    alive, seen = watched(r), []
    r.loading = lambda described, place: seen.append(alive())
    for name in ("a", "b", "a"):
        await r.ask(name)
    assert seen == [0, 0, 0]
    assert alive() == 1


async def test_a_thread_that_is_slow_to_end_holds_no_model(rig, monkeypatch):
    """Threads of an executor tell a result before they let go of it and of what they were given."""
    r = rig([model("a")])
    alive, looked = watched(r), threading.Event()
    real = thread._WorkItem.run

    def run(item):
        real(item)
        if threading.current_thread().name.startswith(("device", "load")):
            assert looked.wait(LIMIT)

    monkeypatch.setattr(thread._WorkItem, "run", run)
    try:
        assert await r.ask("a") == "done x"
        r.engine._cache.drop_idle()
        assert alive() == 0
    finally:
        looked.set()


async def test_a_model_in_use_stays_and_who_needs_its_room_waits(rig):
    r = rig([model("a"), model("b")], memory=15)
    gate = Gate()
    r.do = lambda described, inputs, step: [gate() if described.id == "fake/a" else "b done"]
    a = r.start("a")
    await gate.reached()
    b = r.start("b")
    await r.settled()
    await asyncio.to_thread(lambda: None)
    await r.settled()
    assert r.loads == ["a"]
    assert r.loaded() == ["a"]
    gate.open()
    assert await b == "b done"
    await a
    assert r.loaded() == ["b"]


async def test_a_model_larger_than_the_device_is_refused_at_once(rig):
    r = rig([model("a"), model("huge", 200)], memory=100)
    await r.ask("a")
    fault = await r.ask("huge")
    assert (fault.code, fault.status, fault.retry_after) == ("out_of_memory", 503, None)
    assert r.loads == ["a"]
    assert r.loaded() == ["a"]


async def test_the_room_that_models_work_in_is_needed_once_since_one_runs_at_a_time(rig):
    """Two models of 10 MiB that work in 30 MiB each fit into 50 MiB together."""
    r = rig([model("a", 40, options={"weights": 10}), model("b", 40, options={"weights": 10})], memory=50)
    for name in ("a", "b", "a", "b"):
        assert await r.ask(name) == "done x"
    assert r.loads == ["a", "b"]
    assert [m.bytes for m in r.engine.state().models] == [10 * MIB, 10 * MIB]


async def test_a_model_that_is_heavier_than_it_claims_is_counted_as_it_is(rig):
    r = rig([model("a"), model("b"), model("liar", 10, options={"weights": 20})], memory=35)
    await r.ask("a")
    await r.ask("b")
    await r.ask("liar")
    assert r.loaded() == ["b", "liar"]
    assert sum(m.bytes for m in r.engine.state().models) == 30 * MIB


async def test_a_heavy_model_for_which_there_is_no_room_now_waits_and_is_loaded_again(rig):
    r = rig([model("a"), model("liar", 10, options={"weights": 20})], memory=25)
    alive = watched(r)
    gate = Gate()
    r.do = lambda described, inputs, step: [gate() if described.id == "fake/a" else "liar done"]
    a = r.start("a")
    await gate.reached()
    liar = r.start("liar")
    await until(lambda: r.loads == ["a", "liar"] and r.loaded() == ["a"] and not r.engine._loading)
    assert alive() == 1  # it does not take room while it waits for it
    gate.open()
    assert await liar == "liar done"
    await a
    assert r.loads == ["a", "liar", "liar"]
    assert r.loaded() == ["liar"]


async def test_a_model_that_was_seen_to_work_in_more_gets_more_the_next_time(rig):
    device = FakeDevice()
    r = rig([model("a"), model("b")], memory=30, device=device)
    device.peaks = [15 * MIB]
    await r.ask("a")
    await r.ask("b")
    assert r.loaded() == ["a", "b"]
    await r.ask("a")  # 10 + 15 MiB now
    assert r.loaded() == ["a"]


async def test_out_of_memory_drops_what_is_idle_and_tries_again(rig):
    device = FakeDevice()
    r = rig([model("a"), model("b")], device=device)
    tries = []

    def work(described, inputs, step):
        if described.id == "fake/b":
            tries.append(r.loaded())
            if len(tries) == 1:
                raise OOM("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return inputs

    r.do = work
    await r.ask("a")
    assert await r.ask("b") == "x"
    assert tries == [["a", "b"], ["b"]]
    assert device.cleared >= 1


@pytest.mark.parametrize(
    "err",
    [
        OOM("CUDA out of memory."),
        MemoryError(),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    ],
)
async def test_what_does_not_fit_in_the_end_is_answered_with_503_and_the_model_stays(rig, err):
    r = rig([model("a")])

    def work(described, inputs, step):
        if inputs == ["large"]:
            raise err
        return inputs

    r.do = work
    fault = await r.ask("a", "large")
    assert (fault.code, fault.status) == ("out_of_memory", 503)
    assert [inputs for _, inputs in r.runs] == [["large"], ["large"]]
    assert await r.ask("a", "small") == "small"
    assert r.loads == ["a"]
    assert r.engine.fault is None


async def test_out_of_memory_while_loading_drops_what_is_idle_and_tries_again(rig):
    r = rig([model("a"), model("b")])
    tries = []

    def loading(described, place):
        if described.id == "fake/b":
            tries.append(r.loaded())
            if len(tries) == 1:
                raise OOM("CUDA out of memory.")

    r.loading = loading
    await r.ask("a")
    assert await r.ask("b") == "done x"
    assert tries == [["a"], []]


async def test_a_model_that_cannot_be_loaded_for_lack_of_memory_says_so(rig):
    r = rig([model("a"), model("b")])

    def loading(described, place):
        if described.id == "fake/b":
            raise OOM("CUDA out of memory.")

    r.loading = loading
    assert (await r.ask("b")).code == "out_of_memory"
    assert r.loads == ["b", "b"]
    assert await r.ask("a") == "done x"


async def test_a_batch_that_does_not_fit_is_done_one_by_one_and_later_ones_are_smaller(rig):
    r = rig([model("a", batch=4)])
    gate = Gate()

    def work(described, inputs, step):
        if inputs == ["hold"]:
            gate()
        if len(inputs) > 2:
            raise OOM("CUDA out of memory.")
        return inputs

    r.do = work
    hold = r.start("a", "hold")
    await gate.reached()
    asked = [r.start("a", i) for i in range(8)]
    await r.settled()
    gate.open()
    assert await asyncio.gather(*asked) == list(range(8))
    await hold
    assert [inputs for _, inputs in r.runs] == [["hold"], [0, 1, 2, 3], [0], [1], [2], [3], [4, 5], [6, 7]]


async def test_the_budget_is_what_is_free_unless_it_is_set(rig):
    assert rig([model("a")], memory=0).engine.state().budget == FakeDevice().free()
    assert rig([model("a")], memory=7).engine.state().budget == 7 * MIB
