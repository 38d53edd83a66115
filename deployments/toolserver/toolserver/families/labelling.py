"""Models that put a text into one of the classes that they know: moods, feelings, topics.

A text that is longer than the model reads at once is read in pieces, and the answer is their
mean, each piece counting by its length.

    AutoModelForSequenceClassification of transformers: BERT, RoBERTa, DistilBERT and others
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _language

TASKS = frozenset({"text-classification"})

AT_ONCE = 16
"""The batch size, in pieces of text."""


def load(model: Model, place: Place) -> Labelling:
    tokenizer = _language.reader(AutoTokenizer, place.folder)
    return Labelling(place, _language.network(AutoModelForSequenceClassification, place), tokenizer)


class Labelling:
    """A model with classes of its own."""

    def __init__(self, place: Place, network: Any, tokenizer: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._tokenizer = place, network, tokenizer
        self._window = _language.window_of(network.config, tokenizer)
        self._names = [str(network.config.id2label[i]) for i in range(network.config.num_labels)]
        several = network.config.problem_type == "multi_label_classification" or network.config.num_labels == 1
        self._usual = "sigmoid" if several else "softmax"

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "texts"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        pieces: list[list[int]] = []
        owners: list[int] = []
        for i, request in enumerate(requests):
            text = _language.inert(request.inputs, self._tokenizer)
            read = self._tokenizer(text, truncation=True, max_length=self._window, return_overflowing_tokens=True)["input_ids"]
            pieces += read
            owners += [i] * len(read)
        sums = torch.zeros(len(requests), len(self._names))
        weights = torch.zeros(len(requests), 1)
        for start in range(0, len(pieces), AT_ONCE):
            chunk = pieces[start : start + AT_ONCE]
            inputs = self._tokenizer.pad({"input_ids": chunk}, return_tensors="pt")
            logits = self._network(**_language.moved(inputs, self._place)).logits.float().cpu()
            for row, piece, owner in zip(logits, chunk, owners[start:], strict=False):
                sums[owner] += len(piece) * self._applied(row, requests[owner])
                weights[owner] += len(piece)
            step(min(start + AT_ONCE, len(pieces)) / len(pieces))
        return [self._told(row, request) for row, request in zip(sums / weights, requests, strict=True)]

    def _applied(self, logits: torch.Tensor, request: Request) -> torch.Tensor:
        match request.parameters.get("function_to_apply", self._usual):
            case "sigmoid":
                return logits.sigmoid()
            case "softmax":
                return logits.softmax(-1)
        return logits

    def _told(self, scores: torch.Tensor, request: Request) -> Result:
        best = scores.sort(descending=True, stable=True)
        several = min(request.parameters.get("top_k", len(self._names)), len(self._names))
        raw = request.parameters.get("function_to_apply") == "none"
        return [
            {"label": self._names[int(i)], "score": round(float(score), 4) if raw else _language.score(float(score))}
            for score, i in zip(best.values[:several], best.indices[:several], strict=True)
        ]
