"""TAPAS: questions about tables."""

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


TABLE = {"city": ["Lisbon", "Berlin", "Rome"], "people": ["500", "3600", "2800"], "sun": ["300", "160", "250"]}


def asked(question: str, table: dict = TABLE, **parameters: object) -> Request:
    return Request("table-question-answering", {"table": table, "question": question}, parameters)


def test_an_answer_is_made_of_cells_with_their_places(loaded: Loader):
    (answer,) = loaded("tiny/tables").run([asked("What is the total of the people?")], Told())
    (found,) = answer
    assert set(found) == {"answer", "coordinates", "cells", "aggregator"}
    columns = list(TABLE.values())
    assert found["cells"] == [columns[c][r] for r, c in found["coordinates"]]
    assert found["aggregator"] in {"NONE", "SUM", "AVERAGE", "COUNT"}
    prefix = "" if found["aggregator"] == "NONE" else f"{found['aggregator']} > "
    assert found["answer"] == prefix + ", ".join(found["cells"])


def test_the_question_and_the_table_matter(loaded: Loader):
    questions = ["What is the total?", "Is the sun bright in Berlin on Monday?", "How are you today?", "Anna met Bob", "the red house"]
    answers = loaded("tiny/tables").run([asked(q) for q in questions] + [asked(questions[0], {"dog": ["1", "2"]})], Told())
    assert len({str(a) for a in answers}) > 1


def test_a_batch_answers_as_each_alone(loaded: Loader):
    model = loaded("tiny/tables")
    requests = [asked("What is it?"), asked("How many?", {"dog": ["42"]})]
    assert model.run(requests, Told()) == [model.run([r], Told())[0] for r in requests]


def test_a_table_that_is_too_large_is_refused_unless_it_may_be_cut(loaded: Loader):
    large = {"city": ["Lisbon"] * 90, "people": ["500"] * 90}
    with pytest.raises(Fault) as err:
        loaded("tiny/tables").run([asked("How many?", large)], Told())
    assert err.value.code == "too_large"
    assert "128 tokens" in err.value.message
    (answer,) = loaded("tiny/tables").run([asked("How many?", large, truncation=True)], Told())
    assert answer[0]["aggregator"]


@pytest.mark.parametrize("table", [{}, {"city": []}, {"city": ["Rome"], "people": ["1", "2"]}])
def test_a_table_without_cells_or_with_uneven_columns_is_refused(loaded: Loader, table: dict):
    with pytest.raises(Fault) as err:
        loaded("tiny/tables").run([asked("How many?", table)], Told())
    assert err.value.code == "invalid_input"


def test_a_batch_is_left_between_tables(loaded: Loader):
    with pytest.raises(Cancelled):
        loaded("tiny/tables").run([asked("What?"), asked("How?")], Told(until=1))
