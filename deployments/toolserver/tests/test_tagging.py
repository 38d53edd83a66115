"""Models that label the words of a text."""

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


TEXT = "Anna from Lisbon met Bob in Berlin on Monday."


def text(words: str, **parameters: object) -> Request:
    return Request("token-classification", words, parameters)


@pytest.fixture
def everything() -> dict[str, object]:
    """Keeps the words without a name too, of which a model with random weights finds some."""
    return {"ignore_labels": []}


@pytest.mark.parametrize("strategy", ["simple", "first", "average", "max"])
def test_groups_are_told_with_their_places_in_the_text(loaded: Loader, everything: dict, strategy: str):
    (found,) = loaded("tiny/tagging").run([text(TEXT, aggregation_strategy=strategy, **everything)], Told())
    assert found
    for f in found:
        assert set(f) == {"entity_group", "score", "word", "start", "end"}
        assert f["entity_group"] in {"O", "PER", "LOC"}
        assert TEXT[f["start"] : f["end"]] == f["word"]
        assert 0 <= f["score"] <= 1
    assert [f["start"] for f in found] == sorted(f["start"] for f in found)


def test_single_tokens_have_the_names_of_the_models_labels(loaded: Loader, everything: dict):
    (found,) = loaded("tiny/tagging").run([text(TEXT, **everything)], Told())
    assert {f["entity"] for f in found} <= {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}
    assert "".join(f["word"] for f in found) == TEXT.replace(" ", "")


@pytest.mark.parametrize("strategy", ["first", "average", "max"])
def test_words_are_not_cut_by_labels(loaded: Loader, everything: dict, strategy: str):
    words = "Annabel unbelievably overlooked Bobbington"
    (found,) = loaded("tiny/tagging").run([text(words, aggregation_strategy=strategy, **everything)], Told())
    edges = {f["start"] for f in found} | {f["end"] for f in found}
    assert edges <= {0, 7, 8, 20, 21, 31, 32, 42}


def test_labels_that_are_not_wanted_are_left_out(loaded: Loader, everything: dict):
    model = loaded("tiny/tagging")
    (all_found,) = model.run([text(TEXT * 3, aggregation_strategy="simple", **everything)], Told())
    unwanted = all_found[0]["entity_group"]  # random weights find any of them
    (some,) = model.run([text(TEXT * 3, aggregation_strategy="simple", ignore_labels=[unwanted])], Told())
    assert len(some) < len(all_found)
    assert some == [f for f in all_found if f["entity_group"] != unwanted]


def test_what_is_no_name_is_left_out_if_nothing_is_said(loaded: Loader):
    (found,) = loaded("tiny/tagging").run([text(TEXT * 3, aggregation_strategy="simple")], Told())
    assert all(f["entity_group"] in {"PER", "LOC"} for f in found)


def test_a_long_text_is_read_to_its_end(loaded: Loader, everything: dict):
    long = " ".join([TEXT] * 12)
    (found,) = loaded("tiny/tagging").run([text(long, **everything)], Told())
    assert "".join(f["word"] for f in found) == long.replace(" ", "")


def test_places_are_counted_in_characters(loaded: Loader, everything: dict):
    words = "Ä 🎈 Anna – 東京 Bob"
    (found,) = loaded("tiny/tagging").run([text(words, **everything)], Told())
    assert all(words[f["start"] : f["end"]] == f["word"] for f in found)
    assert any(f["word"].startswith("B") and f["start"] == words.index("Bob") for f in found)


def test_marks_of_the_tokenizer_in_a_text_are_words(loaded: Loader, everything: dict):
    (found,) = loaded("tiny/tagging").run([text("Anna [SEP] Bob", **everything)], Told())
    assert "".join(f["word"] for f in found) == "Anna[SEP]Bob"


def test_a_batch_answers_as_each_alone(loaded: Loader, everything: dict):
    model = loaded("tiny/tagging")
    requests = [text("Bob", **everything), text(" ".join([TEXT] * 5), aggregation_strategy="first", **everything)]
    together = model.run(requests, Told())
    for request, found in zip(requests, together, strict=True):
        (alone,) = model.run([request], Told())
        assert [(f["start"], f["end"]) for f in alone] == [(f["start"], f["end"]) for f in found]
        assert [f["score"] for f in alone] == pytest.approx([f["score"] for f in found], abs=2e-4)


def test_a_text_of_nothing_but_space_has_no_names(loaded: Loader):
    assert loaded("tiny/tagging").run([text("  ")], Told()) == [[]]


def test_a_long_text_is_left_between_its_windows(loaded: Loader):
    with pytest.raises(Cancelled):
        loaded("tiny/tagging").run([text(" ".join([TEXT] * 100))], Told(until=1))
