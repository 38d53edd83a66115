"""Models that sort a text among classes that are named only when it is asked.

The model was made to tell whether one sentence follows from another (natural language
inference). It is asked for each class whether "This example is CLASS." follows from the text
(Yin et al., arXiv:1909.00161). Of a text that is longer than the model reads at once, the
beginning is looked at.

    MoritzLaurer/deberta-v3-…-zeroshot-v2.0 (arXiv:2312.17543), facebook/bart-large-mnli
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _language

TASKS = frozenset({"zero-shot-classification"})

AT_ONCE = 16
"""The batch size, in pairs of a text and a class."""

ROOM = 4
"""The minimum number of tokens left for the text beside a class."""

TEMPLATE = "This example is {}."


def load(model: Model, place: Place) -> Sorting:
    tokenizer = _language.reader(AutoTokenizer, place.folder)
    network = _language.network(AutoModelForSequenceClassification, place)
    names = {int(i): str(name).lower() for i, name in network.config.id2label.items()}
    follows = next((i for i, name in names.items() if name.startswith("entail")), None)
    against = next((i for i, name in names.items() if name.startswith(("contra", "not_entail"))), None)
    if follows is None or against is None:
        raise Fault("weights_mismatch", "The model does not tell what follows from a text.")
    return Sorting(place, network, tokenizer, follows, against)


class Sorting:
    """A model that sorts among classes that it is told."""

    def __init__(self, place: Place, network: Any, tokenizer: Any, follows: int, against: int) -> None:  # noqa: ANN401
        self._place, self._network, self._tokenizer, self._follows, self._against = place, network, tokenizer, follows, against
        self._window = _language.window_of(network.config, tokenizer)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "texts"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        pairs: list[list[int]] = []
        for request in requests:
            template = request.parameters.get("hypothesis_template", TEMPLATE)
            if "{}" not in template:
                raise Fault("invalid_parameter", "hypothesis_template: it needs {} where the class stands.")
            text = _language.inert(request.inputs, self._tokenizer)
            for label in request.parameters["candidate_labels"]:
                hypothesis = _language.inert(template.replace("{}", label), self._tokenizer)
                if len(self._tokenizer(hypothesis)["input_ids"]) + ROOM > self._window:
                    raise Fault("too_large", f"A class is longer than the {self._window} tokens that this model reads at once.")
                pairs.append(self._tokenizer(text, hypothesis, truncation="only_first", max_length=self._window)["input_ids"])
        rows: list[torch.Tensor] = []
        for start in range(0, len(pairs), AT_ONCE):
            inputs = self._tokenizer.pad({"input_ids": pairs[start : start + AT_ONCE]}, return_tensors="pt")
            rows += self._network(**_language.moved(inputs, self._place)).logits.float().cpu()
            step(min(start + AT_ONCE, len(pairs)) / len(pairs))
        results: list[Result] = []
        for request in requests:
            labels = request.parameters["candidate_labels"]
            results.append(self._told(request, torch.stack(rows[: len(labels)])))
            rows = rows[len(labels) :]
        return results

    def _told(self, request: Request, logits: torch.Tensor) -> Result:
        labels = request.parameters["candidate_labels"]
        if request.parameters.get("multi_label") or len(labels) == 1:
            scores = logits[:, [self._against, self._follows]].softmax(-1)[:, 1]
        else:
            scores = logits[:, self._follows].softmax(-1)
        order = scores.sort(descending=True, stable=True).indices.tolist()
        return [{"label": labels[i], "score": _language.score(float(scores[i]))} for i in order]
