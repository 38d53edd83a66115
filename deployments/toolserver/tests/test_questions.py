"""BLIP and ViLT: short answers to questions about pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.faults import Cancelled, Fault
from toolserver.work import Loaded, Request

from ._steps import Told

Loader = Callable[[str], Loaded]


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


def noise(seed: int, width: int = 60, height: int = 40) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


BOTH = pytest.mark.parametrize("name", ["tiny/questions", "tiny/questions-chosen"])


def asked(question: str, image: Image.Image | None = None, **parameters: object) -> Request:
    return Request("visual-question-answering", {"image": image or noise(1), "question": question}, parameters)


@BOTH
def test_answers_come_surest_first(loaded: Loader, name: str):
    (answers,) = loaded(name).run([asked("What is the cat?")], Told())
    scores = [a["score"] for a in answers]
    assert all(set(a) == {"answer", "score"} and 0 <= a["score"] <= 1 for a in answers)
    assert scores == sorted(scores, reverse=True)


@BOTH
def test_the_question_and_the_picture_matter(loaded: Loader, name: str):
    requests = [asked("What is the cat?"), asked("Is the dog in Berlin?"), asked("What is the cat?", Image.new("RGB", (40, 40), "red"))]
    first, question, image = loaded(name).run(requests, Told())
    assert first != question
    assert first != image


@BOTH
def test_several_answer_as_each_alone(loaded: Loader, name: str):
    model = loaded(name)
    requests = [asked("What?"), asked("Is the sun bright over the green field?", noise(2, 90, 30))]
    assert model.run(requests, Told()) == [model.run([r], Told())[0] for r in requests]


def test_as_many_answers_as_are_wanted(loaded: Loader):
    (answers,) = loaded("tiny/questions-chosen").run([asked("What?", top_k=2)], Told())
    assert len(answers) == 2


@BOTH
def test_a_question_that_is_too_long_is_told_the_limit(loaded: Loader, name: str):
    with pytest.raises(Fault) as err:
        loaded(name).run([asked("What is the cat? " * 30)], Told())
    assert err.value.code == "too_large"
    assert "32 tokens" in err.value.message


@BOTH
def test_it_ends_where_nobody_waits(loaded: Loader, name: str):
    with pytest.raises(Cancelled):
        loaded(name).run([asked("What?"), asked("Who?")], Told(until=1))
