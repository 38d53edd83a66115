"""Models that label the words of a text: names, parts of speech.

A long text is read in windows that overlap. A token's label is that of the window in which it
stands farthest from the edge. Places are told in characters of the text.

    AutoModelForTokenClassification of transformers: BERT, DistilBERT, RoBERTa and others;
    the ways to put tokens together are those of its pipeline (aggregation_strategy)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _language

TASKS = frozenset({"token-classification"})

AT_ONCE = 16
"""The batch size, in windows."""


def load(model: Model, place: Place) -> Tagging:
    tokenizer = _language.reader(AutoTokenizer, place.folder)
    if not tokenizer.is_fast:
        raise Fault("weights_mismatch", "The model's tokenizer cannot tell where its tokens stand in a text.")
    return Tagging(place, _language.network(AutoModelForTokenClassification, place), tokenizer)


@dataclass(frozen=True)
class _Token:
    """A token, or several that were put together."""

    start: int
    end: int
    word: int | None
    """Which word of the text it is of."""
    shares: torch.Tensor
    """The probability of each label."""


@dataclass(frozen=True)
class _Window:
    tokens: list[int]
    places: list[tuple[int, int]]
    words: list[int | None]
    special: list[int]


class Tagging:
    """A model that labels words."""

    def __init__(self, place: Place, network: Any, tokenizer: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._tokenizer = place, network, tokenizer
        self._size = _language.window_of(network.config, tokenizer)
        self._names = [str(network.config.id2label[i]) for i in range(network.config.num_labels)]

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "texts"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        windows = [self._windows(r) for r in requests]
        flat = [window for of in windows for window in of]
        shares: list[torch.Tensor] = []
        for start in range(0, len(flat), AT_ONCE):
            inputs = self._tokenizer.pad({"input_ids": [w.tokens for w in flat[start : start + AT_ONCE]]}, return_tensors="pt")
            shares += self._network(**_language.moved(inputs, self._place)).logits.float().softmax(-1).cpu()
            step(min(start + AT_ONCE, len(flat)) / len(flat))
        results: list[Result] = []
        at = 0
        for request, of in zip(requests, windows, strict=True):
            tokens = _joined(request.inputs, of, shares[at : at + len(of)])
            at += len(of)
            results.append(self._told(request, tokens))
        return results

    def _windows(self, request: Request) -> list[_Window]:
        overlap = min(request.parameters.get("stride", self._size // 4), self._size // 2)
        read = self._tokenizer(
            request.inputs, truncation=True, max_length=self._size, stride=overlap, return_overflowing_tokens=True,
            return_offsets_mapping=True, return_special_tokens_mask=True,
            split_special_tokens=True,  # what looks like a mark of the tokenizer is letters
        )  # fmt: skip
        return [
            _Window(tokens, places, read.word_ids(i), special)
            for i, (tokens, places, special) in enumerate(
                zip(read["input_ids"], read["offset_mapping"], read["special_tokens_mask"], strict=True)
            )
        ]

    def _told(self, request: Request, tokens: list[_Token]) -> Result:
        strategy = request.parameters.get("aggregation_strategy", "none")
        ignored = request.parameters.get("ignore_labels", ["O"])
        text = request.inputs
        if strategy in ("first", "average", "max"):
            tokens = _whole_words(tokens, strategy)
        named = [(token, self._names[int(token.shares.argmax())], float(token.shares.max())) for token in tokens]
        if strategy == "none":
            return [
                {"entity": name, "score": _language.score(score), "word": text[t.start : t.end], "start": t.start, "end": t.end}
                for t, name, score in named
                if name not in ignored
            ]
        groups: list[tuple[str, list[float], int, int]] = []
        for token, name, score in named:
            begins, kind = (name[0] == "B", name[2:]) if name[:2] in ("B-", "I-") else (False, name)
            if groups and groups[-1][0] == kind and not begins:
                last = groups[-1]
                groups[-1] = (kind, [*last[1], score], last[2], token.end)
            else:
                groups.append((kind, [score], token.start, token.end))
        return [
            {
                "entity_group": kind, "score": _language.score(sum(scores) / len(scores)), "word": text[start:end],
                "start": start, "end": end,
            }
            for kind, scores, start, end in groups
            if kind not in ignored
        ]  # fmt: skip


def _joined(text: str, windows: Sequence[_Window], shares: Sequence[torch.Tensor]) -> list[_Token]:
    """The tokens of a text from its windows, each once, in the order of the text."""
    found: dict[tuple[int, int], tuple[int, _Token]] = {}
    for window, rows in zip(windows, shares, strict=True):
        for i, ((start, end), word) in enumerate(zip(window.places, window.words, strict=True)):
            while start < end and text[start].isspace():  # some tokenizers count the space before a word to it
                start += 1
            if window.special[i] or start >= end:
                continue
            within = min(i, len(window.tokens) - 1 - i)
            if (start, end) not in found or found[start, end][0] < within:
                found[start, end] = (within, _Token(start, end, word, rows[i]))
    return [found[place][1] for place in sorted(found)]


def _whole_words(tokens: Sequence[_Token], strategy: str) -> list[_Token]:
    """One token for each word, with one label: that of its first token, of the mean of all, or
    of the surest."""
    words = []
    for _, group in groupby(enumerate(tokens), key=lambda pair: (pair[1].word is None and -1 - pair[0]) or pair[1].word):
        parts = [token for _, token in group]
        if strategy == "first":
            shares = parts[0].shares
        elif strategy == "average":
            shares = torch.stack([p.shares for p in parts]).mean(0)
        else:
            shares = max(parts, key=lambda p: float(p.shares.max())).shares
        words.append(_Token(parts[0].start, parts[-1].end, parts[0].word, shares))
    return words
