"""Random work, with cancellations, bad inputs, and memory that runs out: everybody gets an answer,
the budget holds, and nothing is left over."""

import asyncio
import random

import pytest
import torch

from toolserver.faults import Fault

from .engine_rig import LIMIT, MIB, model, rig, until

__all__ = ["rig"]


@pytest.mark.parametrize("seed", range(6))
async def test_everybody_gets_an_answer(rig, seed):
    chance = random.Random(seed)
    sizes = [chance.randint(5, 40) for _ in range(7)]
    r = rig(
        [model(f"m{i}", s, batch=chance.choice([1, 2, 8]), options={"weights": chance.randint(1, s + 5)}) for i, s in enumerate(sizes)],
        memory=60,
    )
    trouble = random.Random(seed + 100)

    def loading(described, place):
        if trouble.random() < 0.05:
            raise torch.OutOfMemoryError("CUDA out of memory.")

    def work(described, inputs, step):
        step(0.5)
        if trouble.random() < 0.05:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        if any(i % 13 == 5 for i in inputs):
            raise Fault("invalid_input", "Unlucky.")
        return [f"{described.id} {i}" for i in inputs]

    r.loading, r.do = loading, work
    r.device.peaks = [chance.randint(0, 50) * MIB for _ in range(1000)]

    async def one(name, i):
        answer = await r.ask(name, i, width=chance.choice([64, 128]))
        assert r.engine._cache.used <= r.engine._cache.budget
        return name, i, answer

    asked = []
    for i in range(150):
        asked.append(asyncio.create_task(one(f"m{chance.randrange(7)}", i)))
        if chance.random() < 0.1:
            chance.choice(asked).cancel()
        if chance.random() < 0.3:
            await asyncio.sleep(0)
        if chance.random() < 0.05:
            await asyncio.wait([asked[-1]], timeout=LIMIT)
        if chance.random() < 0.05:
            r.now += 61
    done, pending = await asyncio.wait(asked, timeout=LIMIT)
    assert not pending
    answers = [t.result() for t in done if not t.cancelled()]
    assert len(answers) > 100
    for name, i, answer in answers:
        if isinstance(answer, Fault):
            assert answer.code == "out_of_memory" or (answer.code == "invalid_input" and i % 13 == 5)
        else:
            assert answer == f"fake/{name} {i}"
            assert i % 13 != 5
    await until(lambda: not r.engine._bringing and r.engine.state().running == 0)
    state = r.engine.state()
    assert (state.waiting, state.fault) == (0, None)
    assert sum(m.bytes for m in state.models) <= state.budget
    assert not r.engine._cache.crowded
