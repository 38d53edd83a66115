"""Models that sort among classes that are named when they are asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from toolserver.faults import Cancelled, Fault
from toolserver.work import Loaded, Request

from ._steps import Told

Loader = Callable[[str], Loaded]


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


LABELS = ["travel", "food", "a cat", "the house"]


def text(words: str, labels: list[str] = LABELS, **parameters: object) -> Request:
    return Request("zero-shot-classification", words, {"candidate_labels": labels, **parameters})


def test_all_classes_come_surest_first_and_make_up_one(loaded: Loader):
    (answer,) = loaded("tiny/sorting").run([text("The cat sits on the mat.")], Told())
    scores = [a["score"] for a in answer]
    assert {a["label"] for a in answer} == set(LABELS)
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1, abs=1e-3)


def test_where_several_may_hold_each_is_judged_alone(loaded: Loader):
    model = loaded("tiny/sorting")
    (together,) = model.run([text("The cat sits.", multi_label=True)], Told())
    for answer in together:
        (alone,) = model.run([text("The cat sits.", [answer["label"]], multi_label=True)], Told())
        assert alone[0]["score"] == pytest.approx(answer["score"], abs=2e-4)


def test_the_text_and_the_template_matter(loaded: Loader):
    requests = [text("The cat sits."), text("Good morning, dear world!"), text("The cat sits.", hypothesis_template="It looks at {}.")]
    first, other, told = loaded("tiny/sorting").run(requests, Told())
    assert first != other
    assert first != told


def test_a_batch_answers_as_each_alone(loaded: Loader):
    model = loaded("tiny/sorting")
    requests = [text("Hello"), text("The sun is bright. " * 30, LABELS * 3)]
    for request, answer in zip(requests, model.run(requests, Told()), strict=True):
        (alone,) = model.run([request], Told())
        assert [a["score"] for a in alone] == pytest.approx([a["score"] for a in answer], abs=2e-4)


def test_a_template_without_a_place_for_the_class_is_refused_by_name(loaded: Loader):
    with pytest.raises(Fault) as err:
        loaded("tiny/sorting").run([text("Hello", hypothesis_template="It is so.")], Told())
    assert err.value.code == "invalid_parameter"
    assert "hypothesis_template" in err.value.message


def test_a_class_that_is_too_long_is_told_the_limit(loaded: Loader):
    with pytest.raises(Fault) as err:
        loaded("tiny/sorting").run([text("Hello", ["the house " * 19])], Told())
    assert err.value.code == "too_large"
    assert "32 tokens" in err.value.message


def test_many_classes_are_left_between_parts(loaded: Loader):
    with pytest.raises(Cancelled):
        loaded("tiny/sorting").run([text("Hello", [f"class {i}" for i in range(40)])], Told(until=1))
