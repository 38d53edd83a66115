"""BART: summaries of texts of any length."""

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


SHORT = "The cat sits on the mat."
LONG = "The cat sits on the mat and looks at the red house. A dog runs over the green field. " * 12


def text(words: str, **parameters: object) -> Request:
    return Request("summarization", words, parameters)


def test_a_summary_is_a_text_that_hangs_on_what_is_summed_up(loaded: Loader):
    model = loaded("tiny/summarising")
    first, again, other = (model.run([text(t)], Told())[0] for t in (SHORT, SHORT, "Anna from Lisbon met Bob in Berlin on Monday."))
    assert set(first) == {"summary_text"}
    assert first["summary_text"]
    assert first == again
    assert first != other


def test_a_text_of_many_windows_is_one_summary_in_the_end(loaded: Loader):
    steps = Told()
    (answer,) = loaded("tiny/summarising").run([text(LONG)], steps)
    (part,) = loaded("tiny/summarising").run([text(SHORT)], Told())
    assert len(answer["summary_text"]) < 4 * len(part["summary_text"]) + 60
    assert steps.done == sorted(steps.done)
    assert steps.done[-1] <= 1


def test_the_end_of_a_long_text_counts(loaded: Loader):
    model = loaded("tiny/summarising")
    first, other = (model.run([text(LONG + end)], Told())[0] for end in ("", "Der Hund und die Katze sind im Haus. " * 6))
    assert first != other


def test_a_batch_answers_as_each_alone(loaded: Loader):
    model = loaded("tiny/summarising")
    requests = [text(SHORT), text(LONG), text("Good morning, dear world!")]
    assert model.run(requests, Told()) == [model.run([r], Told())[0] for r in requests]


def test_it_is_no_longer_than_was_asked_for(loaded: Loader):
    model = loaded("tiny/summarising")
    asked = text(SHORT, generate_parameters={"max_new_tokens": 5})
    steps = Told()
    model.run([asked], steps)
    assert len(steps.done) <= 5
    assert model.key(asked) != model.key(text(SHORT))


def test_a_word_without_end_is_summed_up_too(loaded: Loader):
    assert "summary_text" in loaded("tiny/summarising").run([text("x9" * 400)], Told())[0]


def test_a_cancelled_summary_ends_between_tokens(loaded: Loader):
    steps = Told(until=2)
    with pytest.raises(Cancelled):
        loaded("tiny/summarising").run([text(LONG)], steps)
    assert len(steps.done) == 2
