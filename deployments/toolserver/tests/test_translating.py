"""Models that translate."""

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


BOTH = pytest.mark.parametrize("name", ["tiny/translating", "tiny/translating-pairs"])


def text(words: str, to: str | None = "de", source: str | None = "en") -> Request:
    return Request("translation", words, {k: v for k, v in {"tgt_lang": to, "src_lang": source}.items() if v})


def said(model: Loaded, *requests: Request) -> list[str]:
    return [r["translation_text"] for r in model.run(requests, Told())]


@BOTH
@pytest.mark.parametrize("code", ["tl", "he", "no"])
def test_a_language_that_models_call_otherwise_is_known(loaded: Loader, name: str, code: str):
    assert said(loaded(name), text("The cat", code)) != []


@BOTH
def test_a_translation_hangs_on_the_text_and_the_language(loaded: Loader, name: str):
    model = loaded(name)
    first, again, french = (said(model, r)[0] for r in (text("The cat"), text("The cat"), text("The cat", "fr")))
    others = [said(model, text(t))[0] for t in ("A red house in Berlin", "Hello", "Anna met Bob on Monday?", "42")]
    assert first == again
    assert first != french
    assert any(first != other for other in others)
    assert "__" not in first


@BOTH
def test_lines_stay_and_sentences_are_translated_one_by_one(loaded: Loader, name: str):
    model = loaded(name)
    one, two, three = (said(model, text(t))[0] for t in ("The cat sits.", "A dog runs.", "How are you?"))
    (whole,) = said(model, text("The cat sits. A dog runs.\n\nHow are you?"))
    assert " ".join(whole.split()) == " ".join(f"{one} {two} {three}".split())


@BOTH
def test_a_batch_answers_as_each_alone(loaded: Loader, name: str):
    model = loaded(name)
    requests = [text("Hello"), text("The cat sits on the mat and looks at the red house. " * 4), text("42", "de", "fr")]
    assert said(model, *requests) == [said(model, r)[0] for r in requests]
    assert len({model.key(r) for r in requests}) == 1
    assert model.key(text("Hello", "fr")) != model.key(requests[0])


@BOTH
@pytest.mark.parametrize(
    ("to", "source", "code", "names"),
    [(None, "en", "missing_parameter", "tgt_lang"), ("qq", "en", "invalid_parameter", "tgt_lang")],
)
def test_an_unknown_language_is_named_by_its_parameter(loaded: Loader, name: str, to: str | None, source: str, code: str, names: str):
    with pytest.raises(Fault) as err:
        loaded(name).run([text("Hello", to, source)], Told())
    assert err.value.code == code
    assert names in err.value.message


def test_a_word_of_the_text_is_no_language(loaded: Loader):
    with pytest.raises(Fault) as err:
        loaded("tiny/translating").run([text("Hello", "cat")], Told())
    assert err.value.code == "invalid_parameter"


@pytest.mark.parametrize(("source", "code"), [(None, "missing_parameter"), ("qq", "invalid_parameter")])
def test_m2m100_has_to_be_told_from_which_language(loaded: Loader, source: str | None, code: str):
    with pytest.raises(Fault) as err:
        loaded("tiny/translating-pairs").run([text("Hello", "de", source)], Told())
    assert err.value.code == code
    assert "src_lang" in err.value.message


def test_madlad_finds_that_out_itself(loaded: Loader):
    assert said(loaded("tiny/translating"), text("The cat", "de", None)) == said(loaded("tiny/translating"), text("The cat"))


def test_a_sentence_without_end_is_cut(loaded: Loader):
    (done,) = loaded("tiny/translating").run([text("x9" * 500)], Told())
    assert done["translation_text"]


def test_a_text_of_nothing_but_space_is_refused(loaded: Loader):
    with pytest.raises(Fault) as err:
        loaded("tiny/translating").run([text(" \n ")], Told())
    assert err.value.code == "invalid_input"


@BOTH
def test_a_cancelled_translation_ends_between_tokens(loaded: Loader, name: str):
    steps = Told(until=3)
    with pytest.raises(Cancelled):
        loaded(name).run([text("The cat sits. " * 30)], steps)
    assert len(steps.done) == 3
