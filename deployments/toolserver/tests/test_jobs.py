"""What is kept for who comes back: for how long, how much, and what becomes of the rest."""

from __future__ import annotations

import asyncio

import pytest

from toolserver.events import Answer, Call, Failed
from toolserver.faults import Fault
from toolserver.jobs import Jobs, Work
from toolserver.room import Room

from .fakes import FakeWorkers

CALL = Call("tiny/draws", "text-to-image", "application/json", "", b"{}")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def work(workers: FakeWorkers, clock: Clock, expected: float = 8) -> Work:
    return Work(workers, CALL, expected, clock=clock)


async def test_ids_cannot_be_guessed() -> None:
    clock, jobs = Clock(), Jobs(60)
    names = {jobs.add(work(FakeWorkers(), clock)) for _ in range(20)}
    assert len(names) == 20
    assert min(map(len, names)) >= 32


async def test_results_are_kept_for_a_while_and_no_longer() -> None:
    clock = Clock()
    jobs = Jobs(60, clock=clock)
    done = work(FakeWorkers(), clock)
    name = jobs.add(done)
    await done.wait()
    clock.now += 59
    assert jobs.find(name) is done
    clock.now += 2
    with pytest.raises(Fault) as caught:
        jobs.find(name)
    assert caught.value.code == "unknown_job"


async def test_of_too_many_bytes_the_oldest_results_leave_first() -> None:
    clock = Clock()
    jobs = Jobs(60, most=250, clock=clock)
    names = []
    for _ in range(4):
        one = work(FakeWorkers(lambda call: Answer("x/y", b"x" * 100)), clock)
        names.append(jobs.add(one))
        await one.wait()
        clock.now += 1
    jobs.sweep()
    assert [name in jobs._works for name in names] == [False, False, True, True]
    large = work(FakeWorkers(lambda call: Answer("x/y", b"x" * 1000)), clock)
    name = jobs.add(large)
    await large.wait()
    jobs.sweep()
    assert list(jobs._works) == [name]


async def test_what_runs_is_not_dropped_but_called_off_when_nobody_asks_any_more() -> None:
    clock = Clock()
    workers = FakeWorkers(held=True)
    jobs = Jobs(60, clock=clock)
    name = jobs.add(work(workers, clock))
    await workers.came.wait()
    for _ in range(3):
        clock.now += 50
        assert jobs.find(name).status == "running"
    clock.now += 61
    jobs.sweep()
    await workers.cancelled.wait()


async def test_how_long_it_takes_is_told_by_how_it_went_so_far() -> None:
    clock = Clock()
    workers = FakeWorkers(held=True)
    one = work(workers, clock)
    assert one.told() == {"status": "queued", "progress": 0.0, "estimated_time": 8}
    await workers.came.wait()
    clock.now += 10  # for a quarter
    assert one.told() == {"status": "running", "progress": 0.25, "estimated_time": 30}
    workers.go.set()
    await one.wait()
    assert one.told() == {"status": "done", "progress": 1.0}


async def test_a_work_that_ends_without_a_word_is_lost() -> None:
    class Silent(FakeWorkers):
        async def run(self, call):
            return
            yield

    one = Work(Silent(), CALL, 1)
    await one.wait()
    assert one.fault is not None
    assert (one.status, one.fault.code) == ("failed", "replica_lost")


@pytest.mark.parametrize("ending", ["done", "failed", "cancelled"])
async def test_what_was_taken_is_given_back_once_whatever_becomes_of_it(ending: str) -> None:
    given: list[int] = []
    workers = FakeWorkers(lambda call: Failed(Fault("invalid_input", "No.")) if ending == "failed" else Answer("x/y", b""), held=True)
    one = Work(workers, CALL, 1, release=lambda: given.append(1))
    await workers.came.wait()
    assert given == []
    if ending == "cancelled":
        one.cancel()
        one.cancel()
    workers.go.set()
    await one.wait()
    await asyncio.sleep(0)
    assert (one.status, given) == (ending, [1])


async def test_a_result_that_was_fetched_can_be_forgotten() -> None:
    jobs = Jobs(60)
    one = Work(FakeWorkers(), CALL, 1)
    name = jobs.add(one)
    await one.wait()
    assert jobs.drop(name).status == "done"
    with pytest.raises(Fault):
        jobs.find(name)


async def test_all_is_called_off_at_the_end() -> None:
    workers = FakeWorkers(held=True)
    jobs = Jobs(60)
    jobs.add(Work(workers, CALL, 1))
    await workers.came.wait()
    jobs.close()
    await workers.cancelled.wait()


# The room that requests share.


async def test_room_is_given_in_the_order_of_asking() -> None:
    room = Room(10)
    assert await room.take(8) == 8
    large, small = asyncio.create_task(room.take(9)), asyncio.create_task(room.take(1))
    await asyncio.sleep(0)
    assert not small.done()  # or the large one would never have its turn
    room.give(8)
    assert await large == 9
    assert await small == 1
    assert room.free == 0


async def test_what_is_more_than_all_takes_all() -> None:
    room = Room(10)
    async with room.of(50):
        assert room.free == 0
    assert room.free == 10


async def test_who_gives_up_waiting_leaves_the_room_as_it_was() -> None:
    room = Room(10)
    await room.take(8)
    gone, next_one = asyncio.create_task(room.take(9)), asyncio.create_task(room.take(2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await next_one == 2
    late = asyncio.create_task(room.take(5))
    await asyncio.sleep(0)
    room.give(8)
    late.cancel()  # just when it has its turn
    await asyncio.gather(late, gone, return_exceptions=True)
    assert room.free == 8
