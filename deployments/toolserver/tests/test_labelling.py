"""Models that know classes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from toolserver.faults import Cancelled
from toolserver.work import Loaded, Request

from ._steps import Told

Loader = Callable[[str], Loaded]


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


def text(words: str, **parameters: object) -> Request:
    return Request("text-classification", words, parameters)


def test_the_classes_of_a_text_come_surest_first_and_make_up_one(loaded: Loader):
    (answer,) = loaded("tiny/labelling").run([text("The sun is bright.")], Told())
    scores = [a["score"] for a in answer]
    assert {a["label"] for a in answer} == {"negative", "neutral", "positive"}
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1, abs=1e-3)


def test_where_several_classes_may_hold_each_has_its_own_probability(loaded: Loader):
    (answer,) = loaded("tiny/labelling-several").run([text("The sun is bright.")], Told())
    assert len(answer) == 4
    assert sum(a["score"] for a in answer) != pytest.approx(1, abs=1e-3)
    assert all(0 <= a["score"] <= 1 for a in answer)


def test_another_text_is_judged_otherwise(loaded: Loader):
    first, other = loaded("tiny/labelling").run([text("The sun is bright."), text("How are you?")], Told())
    assert first != other


def test_only_so_many_classes_as_are_wanted(loaded: Loader):
    whole, one = loaded("tiny/labelling").run([text("The cat"), text("The cat", top_k=1)], Told())
    assert one == whole[:1]


def test_the_function_may_be_chosen(loaded: Loader):
    raw, soft = loaded("tiny/labelling").run([text("The cat", function_to_apply=f) for f in ("none", "softmax")], Told())
    logits = torch.tensor([a["score"] for a in raw])
    assert [a["score"] for a in soft] == pytest.approx(logits.softmax(-1).tolist(), abs=1e-3)


def test_a_batch_answers_as_each_alone_also_long_texts(loaded: Loader):
    model = loaded("tiny/labelling")
    requests = [text("Good morning"), text("The cat sits on the mat and looks at the red house. " * 9)]
    together = model.run(requests, Told())
    for request, answer in zip(requests, together, strict=True):
        (alone,) = model.run([request], Told())
        assert [a["label"] for a in alone] == [a["label"] for a in answer]
        assert [a["score"] for a in alone] == pytest.approx([a["score"] for a in answer], abs=2e-4)


def test_the_end_of_a_long_text_counts_too(loaded: Loader):
    same = "The cat sits on the mat. " * 20
    first, other = loaded("tiny/labelling").run([text(same + "How are you?"), text(same + "Anna met Bob in Lisbon!")], Told())
    assert first != other


def test_a_long_text_is_left_between_its_pieces(loaded: Loader):
    steps = Told(until=1)
    with pytest.raises(Cancelled):
        loaded("tiny/labelling").run([text("The cat sits on the mat. " * 200)], steps)
    assert steps.done[0] < 1
