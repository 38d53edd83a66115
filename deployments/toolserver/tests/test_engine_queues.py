"""The order in which requests are served."""

from dataclasses import dataclass

from toolserver.queues import PASSES, SECONDS, Queues


@dataclass(frozen=True)
class Job:
    model_id: str
    order: int
    key: object = None


def queues(*jobs):
    made = Queues()
    for order, (model, key) in enumerate(jobs):
        made.add(Job(model, order, key))
    return made


def take(queue, model, limit=8):
    return [j.order for j in queue.take(model, limit, lambda j: j.key)]


def test_the_oldest_request_of_a_model_that_is_there_is_next():
    made = queues(("cold", 0), ("b", 0), ("a", 0))
    assert made.order({"a", "b"}) == ["b", "a"]
    assert made.models() == ["cold", "b", "a"]
    assert made.order(set()) == []


def test_a_model_is_done_with_where_that_lets_it_leave():
    made = queues(("b", 0), ("a", 0))
    assert made.order({"a", "b"}, last="a") == ["a", "b"]


def test_a_batch_is_of_one_key_begins_with_the_oldest_and_leaves_the_rest_in_order():
    made = queues(*[("a", key) for key in "xyxyx"])
    assert take(made, "a", limit=2) == [0, 2]
    assert take(made, "a", limit=9) == [1, 3]
    assert take(made, "a") == [4]
    assert not made.wanted("a")
    assert len(made) == 0


def test_who_was_passed_over_often_enough_is_due_and_goes_first():
    made = queues(("b", 0), *[("a", None)] * (PASSES + 1))
    for _ in range(PASSES):
        assert not made.due("b")
        take(made, "a", limit=1)
    assert made.due("b")
    assert made.order({"a", "b"}, last="a") == ["b", "a"]


def test_who_was_passed_over_for_long_enough_is_due():
    made = queues(("b", 0), ("a", 0), ("c", 0))
    made.passed(1, SECONDS)
    assert made.due("b")
    assert not made.due("c")  # it is younger than what was done


def test_the_next_one_starts_to_count_anew():
    made = queues(("b", 0), ("b", 1), ("a", 0))
    made.passed(2, SECONDS)
    take(made, "b")
    assert made.wanted("b")
    assert not made.due("b")


def test_who_left_is_not_served():
    made = queues(("a", 0), ("a", 0))
    first = next(iter(made))
    assert made.remove(first)
    assert not made.remove(first)
    assert take(made, "a") == [1]
    assert made.remove_all("a") == []
