"""The budget holds whatever happens, nothing in use is dropped, and who waits gets room."""

import asyncio
import random

import pytest

from toolserver.cache import Cache, TooLarge


async def put(cache, name, weights, room=0):
    assert await cache.ask(name, weights + room)
    assert cache.put(name, f"model {name}", weights, room)


def names(cache):
    return sorted(e.name for e in cache.entries())


async def test_who_asks_first_is_served_first():
    cache = Cache(10)
    await put(cache, "a", 6)
    assert cache.use("a") == "model a"
    large = asyncio.create_task(cache.ask("large", 8))
    small = asyncio.create_task(cache.ask("small", 2))
    await asyncio.sleep(0)
    assert cache.crowded
    assert not small.done()  # else a large one might wait for ever
    cache.release("a")
    assert await large
    assert await small
    assert names(cache) == ["large", "small"]


async def test_what_is_too_large_for_the_device_does_not_wait():
    cache = Cache(10)
    with pytest.raises(TooLarge):
        await cache.ask("a", 11)
    assert await cache.ask("b", 10)
    with pytest.raises(TooLarge):
        cache.put("b", "model b", 11, 0)
    assert names(cache) == []
    assert cache.used == 0


async def test_a_model_that_is_waited_for_leaves_only_for_one_that_is_due():
    wanted, due = {"a"}, False
    cache = Cache(10, wanted.__contains__)
    await put(cache, "a", 6)
    cache.use("a")
    cache.release("a")
    b = asyncio.create_task(cache.ask("b", 6, lambda: due))
    await asyncio.sleep(0)
    assert names(cache) == ["a"]
    due = True
    cache.settle()
    assert await b
    assert names(cache) == ["b"]


async def test_a_model_that_was_loaded_for_who_waits_is_not_dropped_before_its_first_use():
    cache = Cache(10, {"a", "b"}.__contains__)
    await put(cache, "a", 6)
    b = asyncio.create_task(cache.ask("b", 6, lambda: True))
    await asyncio.sleep(0)
    assert names(cache) == ["a"]
    cache.use("a")
    cache.release("a")
    assert await b


async def test_a_wish_that_is_given_up_lets_the_next_one_through():
    cache = Cache(10)
    await put(cache, "a", 6)
    cache.use("a")
    large = asyncio.create_task(cache.ask("large", 8))
    small = asyncio.create_task(cache.ask("small", 2))
    await asyncio.sleep(0)
    cache.give_up("large")
    assert not await large
    assert await small


async def test_a_load_that_is_cancelled_gives_its_room_back():
    cache = Cache(10)
    await put(cache, "a", 6)
    cache.use("a")
    waiting = asyncio.create_task(cache.ask("b", 8))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert not cache.crowded
    assert await cache.ask("c", 4)
    cache.withdraw("c")
    assert cache.used == 6


async def test_who_has_no_room_to_work_in_takes_it_from_idle_models_and_not_from_loads():
    cache = Cache(10)
    await put(cache, "a", 4, room=3)
    await put(cache, "b", 3)
    assert cache.use("a")
    cache.release("a", peak=6)
    assert cache.use("a")  # 4 + 6: b had to leave
    assert names(cache) == ["a"]
    cache.release("a")
    assert await cache.ask("c", 5)
    assert cache.use("a") is None
    cache.withdraw("c")
    assert cache.use("a") == "model a"


@pytest.mark.parametrize("seed", range(30))
async def test_whatever_happens_the_budget_holds_and_what_is_used_stays(seed):
    """Random work on the cache, as the engine does it, checked after each step."""
    chance = random.Random(seed)
    budget = 100
    wanted: set[str] = set()
    due: set[str] = set()
    dropped: list[str] = []
    cache: Cache[str] = Cache(budget, wanted.__contains__, dropped.append)
    asks: dict[str, asyncio.Task] = {}
    loading: set[str] = set()
    using: str | None = None

    def begin(name):
        asks[name] = asyncio.create_task(cache.ask(name, chance.randint(1, budget), lambda: name in due))

    def look():
        assert 0 <= cache.used <= budget
        assert cache.used == sum(e.weights + (e.room if e.using or e.fresh else 0) for e in cache.entries())
        assert using is None or cache.has(using)
        assert loading <= {e.name for e in cache.entries() if e.value is None}

    for _ in range(400):
        name = f"m{chance.randrange(8)}"
        match chance.choice(["want", "want", "put", "put", "use", "release", "withdraw", "give up", "cancel", "due", "out of memory"]):
            case "want":
                wanted ^= {name}
                if name in wanted and not cache.has(name) and name not in loading and name not in asks:
                    begin(name)
            case "put" if loading:
                name = chance.choice(sorted(loading))
                loading.discard(name)
                try:
                    if cache.put(name, name, chance.randint(1, 110), chance.randint(0, 50)):
                        assert cache.has(name) or name in dropped
                except TooLarge:
                    assert not cache.has(name)
            case "use" if using is None:
                if cache.use(name):
                    using = name
                    wanted.discard(name)
            case "release" if using is not None:
                used, using = using, None
                cache.release(used, chance.randint(0, 120))
            case "withdraw" if name in loading:
                loading.discard(name)
                cache.withdraw(name)
            case "give up":
                cache.give_up(name)
            case "cancel" if name in asks:
                asks[name].cancel()
            case "due":
                due ^= {name}
                cache.settle()
            case "out of memory":
                cache.drop_idle()
                assert all(e.using or e.value is None for e in cache.entries())
        await asyncio.sleep(0)
        for done in [n for n, t in asks.items() if t.done()]:
            task = asks.pop(done)
            if not task.cancelled() and task.result():
                loading.add(done)
        look()

    # in the end nothing is used or loaded any more: who still waits gets room, one after the other
    wanted.clear()
    if using is not None:
        used, using = using, None
        cache.release(used)
    cache.settle()
    while asks or loading:
        for name in sorted(loading):
            cache.withdraw(name)
        loading.clear()
        await asyncio.sleep(0)
        done = [n for n, t in asks.items() if t.done()]
        assert done or not asks, "somebody waits for ever"
        loading |= {n for n in done if not asks[n].cancelled() and asks.pop(n).result()}
        asks = {n: t for n, t in asks.items() if not t.done()}
        look()
