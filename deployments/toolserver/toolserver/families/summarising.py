"""BART, which sums up news (arXiv:1910.13461, huggingface.co/facebook/bart-large-cnn).

It reads a thousand tokens. A longer text is summed up in parts, and the parts' summaries
again, until one is left. What is written is searched with beams, as the model's
generation_config.json says, and always the same for the same text.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language, _sentences

TASKS = frozenset({"summarization"})

USUAL = 142
"""The default maximum length of a summary, in tokens, as for bart-large-cnn."""


def load(model: Model, place: Place) -> Summarising:
    tokenizer = _language.reader(AutoTokenizer, place.folder)
    return Summarising(model, place, _language.network(AutoModelForSeq2SeqLM, place), tokenizer)


class Summarising:
    """A model that sums up."""

    def __init__(self, model: Model, place: Place, network: Any, tokenizer: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._tokenizer, self._batch = place, network, tokenizer, max(model.batch, 1)
        self._window = _language.context_of(network.config, tokenizer, model.options)
        self._usual = min(int(model.options.get("tokens", network.generation_config.max_length or USUAL)), self._window // 2)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return _generating.manner(request.parameters, self._usual).most

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        most = min(_generating.manner(requests[0].parameters, self._usual).most, self._window // 2)
        parts = [self._parts(_language.inert(r.inputs, self._tokenizer)) for r in requests]
        summed = [False] * len(requests)
        whole = sum(len(part) + (len(part) > 1) for part in parts)  # a guess, where a second round is long
        done = 0
        while not all(summed):
            queue = [(i, piece) for i, part in enumerate(parts) if not summed[i] for piece in part]
            written: dict[int, list[str]] = {}
            for start in range(0, len(queue), self._batch):
                chunk = queue[start : start + self._batch]
                part = (min(done / whole, 1.0), min((done + len(chunk)) / whole, 1.0))
                for (i, _), text in zip(chunk, self._write([piece for _, piece in chunk], most, step, part), strict=True):
                    written.setdefault(i, []).append(text)
                done += len(chunk)
            for i, texts in written.items():
                summed[i] = len(texts) == 1
                # fewer than before, even if the summaries are as long as what they sum up
                parts[i] = texts if summed[i] else self._parts(" ".join(texts))[: len(texts) - 1]
        return [{"summary_text": part[0]} for part in parts]

    def _length(self, text: str) -> int:
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _parts(self, text: str) -> list[str]:
        most = self._window - 2
        if self._length(text) <= most:
            return [text]
        pieces = [
            p for line in text.splitlines() for s in _sentences.sentences(line) for p in _sentences.fitting(s, self._length, most // 2)
        ]
        return _sentences.packed(pieces, lambda piece: self._length(piece) + 1, most) or [text]

    def _write(self, texts: list[str], most: int, step: Step, part: tuple[float, float]) -> list[str]:
        inputs = self._tokenizer(texts, padding=True, truncation=True, max_length=self._window, return_tensors="pt")
        inputs.pop("token_type_ids", None)
        return _generating.search(self._network, self._tokenizer, most, step, _language.moved(inputs, self._place), part=part)
