"""Where a request goes: what rank says of replicas, and what the router makes of what it knows."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest
from ray.serve._private.common import DeploymentHandleSource, DeploymentID, ReplicaID

from toolserver.events import ModelState, ReplicaState
from toolserver.faults import Fault
from toolserver.router import COLD, FRESH, SILENT, Needs, Place, WarmRouter, load, rank, stats

GIB = 1 << 30


def names(places: list[Place]) -> list[str]:
    return [p.name for p in places]


def test_a_request_goes_where_its_model_is_warm() -> None:
    places = [Place("empty", free=80 * GIB), Place("warm", warm=True, load=COLD - 1)]
    assert names(rank("a/b", Needs(8 * GIB), places)) == ["warm", "empty"]


def test_a_warm_replica_with_too_much_to_do_is_left_alone() -> None:
    places = [Place("empty", free=80 * GIB), Place("warm", warm=True, load=COLD + 1)]
    assert names(rank("a/b", Needs(8 * GIB), places)) == ["empty", "warm"]


def test_a_model_that_is_nowhere_goes_where_others_need_not_leave_for_it() -> None:
    places = [Place("full", free=4 * GIB), Place("roomy", free=20 * GIB, load=1)]
    assert names(rank("a/b", Needs(8 * GIB), places)) == ["roomy", "full"]


def test_a_model_that_is_nowhere_goes_to_who_has_least_to_do_and_then_most_room() -> None:
    places = [Place("busy", free=80 * GIB, load=2), Place("small", free=10 * GIB), Place("large", free=20 * GIB)]
    assert names(rank("a/b", Needs(8 * GIB), places)) == ["large", "small", "busy"]


def test_a_lost_device_gets_what_nobody_else_can_take() -> None:
    places = [Place("lost", warm=True, free=80 * GIB, lost=True), Place("busy", load=100)]
    assert names(rank("a/b", Needs(), places)) == ["busy", "lost"]


def test_of_places_alike_a_model_has_its_own_and_models_are_spread() -> None:
    places = [Place(str(i), free=GIB) for i in range(4)]
    first = [rank(f"org/m{i}", Needs(), places)[0].name for i in range(40)]
    assert first == [rank(f"org/m{i}", Needs(), list(reversed(places)))[0].name for i in range(40)]
    assert set(first) == {"0", "1", "2", "3"}


def test_what_is_done_in_one_go_counts_once() -> None:
    assert load(Counter({"a/b": 9, "c/d": 2}), {"a/b": Needs(batch=8)}) == 2 + 2


def test_a_replica_tells_its_models_its_room_and_its_fault() -> None:
    models = (ModelState("a/b", "loaded", 3 * GIB), ModelState("c/d", "loading", GIB), ModelState("e/f", "unavailable", 0))
    assert stats(ReplicaState("r", "cuda", 10 * GIB, models)) == {"models": ["a/b", "c/d"], "free": 6 * GIB, "lost": False}
    lost = ReplicaState("r", "cuda", 10 * GIB, fault=Fault("device_lost", "The GPU is lost."))
    assert stats(lost)["lost"] is True


class Replica:
    """As much of Ray's RunningReplica as the router looks at."""

    def __init__(self, name: str, **told: object) -> None:
        self.replica_id = ReplicaID(name, DeploymentID("Models", "test"))
        self.routing_stats = told

    async def get_queue_len(self, *, deadline_s: float) -> int:
        return 0


def request(model: str, number: int) -> SimpleNamespace:
    metadata = SimpleNamespace(multiplexed_model_id=model, internal_request_id=f"{model}-{number}")
    return SimpleNamespace(metadata=metadata, routing_context=SimpleNamespace(should_backoff=False))


@pytest.fixture
def router() -> WarmRouter:
    router = WarmRouter(DeploymentID("Models", "test"), DeploymentHandleSource.REPLICA)
    router.initialize_state(needs={"a/b": [GIB, 1], "batch/8": [GIB, 8]})
    return router


async def first(router: WarmRouter, replicas: list[Replica], model: str, number: int = 0) -> str:
    ranks = await router.choose_replicas(replicas, request(model, number))
    assert sorted(r.replica_id.unique_id for [r] in ranks) == sorted(r.replica_id.unique_id for r in replicas)
    return str(ranks[0][0].replica_id.unique_id)


async def test_requests_for_a_cold_model_stay_together_before_anybody_told_of_it(router: WarmRouter) -> None:
    replicas = [Replica("x", free=GIB, models=[]), Replica("y", free=GIB, models=[])]
    chosen = {await first(router, replicas, "a/b", n) for n in range(int(COLD))}
    assert len(chosen) == 1


async def test_a_run_on_one_model_spreads_over_the_replicas(router: WarmRouter) -> None:
    replicas = [Replica("x", free=GIB, models=["a/b"]), Replica("y", free=GIB, models=[])]
    counts = Counter([await first(router, replicas, "a/b", n) for n in range(40)])
    assert min(counts["x"], counts["y"]) >= 15


async def test_requests_that_are_batched_stay_together_for_longer(router: WarmRouter) -> None:
    replicas = [Replica("x", free=GIB, models=["batch/8"]), Replica("y", free=GIB, models=[])]
    counts = Counter([await first(router, replicas, "batch/8", n) for n in range(32)])
    assert counts == {"x": 32}


async def test_what_is_done_no_longer_counts(router: WarmRouter) -> None:
    replicas = [Replica("x", free=GIB, models=["a/b"]), Replica("y", free=GIB, models=[])]
    for n in range(20):
        assert await first(router, replicas, "a/b", n) == "x"
        router.on_request_routed(request("a/b", n), replicas[0].replica_id, None)
        router.on_request_completed(replicas[0].replica_id, f"a/b-{n}")


async def test_an_intention_of_which_nothing_came_lapses_and_what_was_taken_does_not(router: WarmRouter) -> None:
    now = 0.0
    router._now = lambda: now
    replicas = [Replica("x", free=GIB, models=["a/b"]), Replica("y", free=GIB, models=[])]
    for n in range(5):
        await first(router, replicas, "a/b", n)  # called off while it waited
    now = FRESH + 1
    assert await first(router, replicas, "a/b", 99) == "x"
    for n in range(8):
        router.on_request_routed(request("c/d", n), replicas[0].replica_id, None)
    now = 100 * FRESH
    assert await first(router, replicas, "a/b", 100) == "y"


async def test_one_that_tells_nothing_more_of_itself_is_passed_over_until_it_does(router: WarmRouter) -> None:
    now = 0.0
    router._now = lambda: now
    hangs, well = Replica("hangs", free=GIB, models=["a/b"], at=1), Replica("well", free=GIB, models=[], at=1)

    async def chosen() -> str:
        router.update_replicas([hangs, well])
        return await first(router, [hangs, well], "a/b", int(now))

    assert await chosen() == "hangs"
    now, well.routing_stats["at"] = SILENT + 1, 2
    assert await chosen() == "well"
    now, hangs.routing_stats["at"], well.routing_stats["at"] = 20 * SILENT, 2, 3
    assert await chosen() == "hangs"
    now = 40 * SILENT  # nobody is heard of: it is the controller that hangs
    assert await chosen() == "hangs"


async def test_when_all_are_full_ray_pauses_before_it_asks_again(router: WarmRouter) -> None:
    asked = request("a/b", 1)
    await router.choose_replicas([Replica("x")], asked)
    assert asked.routing_context.should_backoff


async def test_a_replica_that_told_nothing_yet_is_one_to_go_to(router: WarmRouter) -> None:
    assert await first(router, [Replica("new")], "a/b") == "new"
