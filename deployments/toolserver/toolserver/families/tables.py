"""TAPAS, which answers questions about a table by its cells, and by counting, adding them up
or taking their mean (arXiv:2004.02349, huggingface.co/google/tapas-base-finetuned-wtq).

It reads 512 tokens of question and table together. A larger table is refused rather than cut,
for what is counted would be wrong, unless the request allows it (truncation).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd
import torch
from transformers import TapasForQuestionAnswering, TapasTokenizer

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _language

TASKS = frozenset({"table-question-answering"})


def load(model: Model, place: Place) -> Tables:
    tokenizer = _language.reader(TapasTokenizer, place.folder)
    return Tables(place, _language.network(TapasForQuestionAnswering, place), tokenizer)


class Tables:
    """A model that reads tables."""

    def __init__(self, place: Place, network: Any, tokenizer: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._tokenizer = place, network, tokenizer
        self._window = _language.window_of(network.config, tokenizer)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "tables"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        results = []
        for done, request in enumerate(requests, 1):
            results.append(self._one(request))
            step(done / len(requests))
        return results

    def _one(self, request: Request) -> Result:
        table = _table(request.inputs["table"])
        question = request.inputs["question"]
        try:
            read = self._tokenizer(
                table=table, queries=[question], truncation="drop_rows_to_fit" if request.parameters.get("truncation") else False,
                max_length=self._window, padding=False, return_tensors="pt",
            )  # fmt: skip
        except ValueError as err:
            raise Fault("too_large", self._limit()) from err
        if read["input_ids"].shape[1] > self._window or int(read["token_type_ids"].max()) >= 256:  # a row or a column beyond the 255th
            raise Fault("too_large", self._limit())
        out = self._network(**_language.moved(read, self._place))
        aggregation = getattr(out, "logits_aggregation", None)
        logits = [out.logits.float().cpu(), *([aggregation.float().cpu()] if aggregation is not None else [])]
        places, *kinds = self._tokenizer.convert_logits_to_predictions(read, *logits)
        coordinates = [(int(row), int(column)) for row, column in places[0]]
        cells = [str(table.iat[place]) for place in coordinates]
        answer = {"answer": ", ".join(cells), "coordinates": [list(place) for place in coordinates], "cells": cells}
        if kinds and (named := self._network.config.aggregation_labels):
            kind = int(kinds[0][0])
            name = str(named.get(kind, named.get(str(kind))))
            if kind != self._network.config.no_aggregation_label_index:
                answer["answer"] = f"{name} > {answer['answer']}"
            answer["aggregator"] = name
        return [answer]

    def _limit(self) -> str:
        return f"The table and the question are longer than the {self._window} tokens that this model reads at once."


def _table(columns: dict[str, list[Any]]) -> pd.DataFrame:
    lengths = {len(cells) for cells in columns.values()} if columns else set()
    if len(lengths) != 1 or lengths == {0}:
        raise Fault("invalid_input", "The table needs columns that have the same number of cells, and one at least.")
    return pd.DataFrame({str(name): [str(cell) for cell in cells] for name, cells in columns.items()}, dtype=object)
