"""Models that translate sentence by sentence.

    M2M100        arXiv:2010.11125, huggingface.co/facebook/m2m100_418M: ISO codes, both
                  languages have to be told
    NLLB-200      arXiv:2207.04672: the same architecture, codes of FLORES-200 (eng_Latn)
    MADLAD-400    arXiv:2309.04662, huggingface.co/google/madlad400-3b-mt: a T5 that is told
                  the language by a mark before the text ("<2de>"), and finds the other itself

A text is cut into its sentences, and put together again as it was, line by line. What is
written is searched as the model's generation_config.json says, and always the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language, _sentences, _tongues

TASKS = frozenset({"translation"})

LONGEST = 200
"""The maximum length of a piece, in tokens: the models were trained on sentences, and drop the end of longer texts."""

OTHERWISE = {"fil": "tl", "he": "iw", "iw": "he", "nb": "no", "no": "nb", "tl": "fil"}
"""Languages for which some models use another code."""


def load(model: Model, place: Place) -> Translating:
    tokenizer = _language.reader(AutoTokenizer, place.folder)
    return Translating(model, place, _language.network(AutoModelForSeq2SeqLM, place), tokenizer)


class Translating:
    """A model that translates."""

    def __init__(self, model: Model, place: Place, network: Any, tokenizer: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._tokenizer = place, network, tokenizer
        self._batch = int(model.options.get("sentences", 16))
        # M2M100's tokenizer does not count the names of languages among its special tokens
        self._names = frozenset(getattr(tokenizer, "lang_code_to_id", {}).values())
        self._marks = network.config.model_type in ("t5", "mt5", "umt5")
        self._window = min(_language.context_of(network.config, tokenizer, model.options), 2 * LONGEST)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return request.parameters.get("tgt_lang")  # which is set for a whole batch

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        pieces: list[list[int]] = []
        plans = []
        for request in requests:
            self._code(request.parameters.get("tgt_lang"))
            self._source(request.parameters.get("src_lang"))
            plans.append([self._line(line, request, pieces) for line in request.inputs.splitlines()])
        done = self._translated(pieces, requests[0].parameters["tgt_lang"], step)
        gap = "" if requests[0].parameters["tgt_lang"][:2] in _tongues.SPACELESS else " "
        return [{"translation_text": "\n".join(gap.join(done[i] for i in line) for line in plan).strip()} for plan in plans]

    def _line(self, line: str, request: Request, pieces: list[list[int]]) -> list[int]:
        """Adds the pieces of a line, and tells which they are."""
        most = min(LONGEST, self._window // 2 - 4)
        texts = [
            piece
            for sentence in _sentences.sentences(_language.inert(line, self._tokenizer))
            for piece in _sentences.fitting(sentence, lambda text: len(self._tokenizer(text)["input_ids"]), most)
        ]
        start = len(pieces)
        for text in texts:
            pieces.append(self._read(text, request.parameters.get("tgt_lang")))
        return list(range(start, len(pieces)))

    def _read(self, text: str, to: str | None) -> list[int]:
        tokens = list(self._tokenizer(text)["input_ids"])
        # by its number, for the tokenizer cuts the mark where it is part of a text
        return [self._code(to), *tokens] if self._marks else tokens

    def _source(self, source: str | None) -> None:
        """Sets the language that is read from here on."""
        if self._marks:
            return
        if not source:
            raise _tongues.missing("src_lang", "which language the text is in")
        known = self._tokenizer.lang_code_to_id if hasattr(self._tokenizer, "get_lang_id") else self._tokenizer.get_added_vocab()
        if source not in known:
            raise _tongues.unknown("src_lang")
        self._tokenizer.src_lang = source

    def _code(self, to: str | None) -> int:
        """The token that says into which language."""
        if not to:
            raise _tongues.missing("tgt_lang", "into which language")
        if hasattr(self._tokenizer, "get_lang_id"):
            try:
                return int(self._tokenizer.get_lang_id(to))
            except KeyError:
                raise _tongues.unknown("tgt_lang") from None
        words = self._tokenizer.get_vocab()
        found = (
            next((words[mark] for mark in (f"<2{to}>", f"<2{OTHERWISE.get(to)}>") if mark in words), None) if self._marks else words.get(to)
        )
        if found is None or (not self._marks and to not in self._tokenizer.get_added_vocab()):
            raise _tongues.unknown("tgt_lang")
        return int(found)

    def _translated(self, pieces: list[list[int]], to: str, step: Step) -> list[str]:
        if not pieces:
            raise Fault("invalid_input", "There is nothing in the text that could be translated.")
        more = {} if self._marks else {"forced_bos_token_id": self._code(to)}
        done = [""] * len(pieces)
        finished = 0
        for most, chunk in self._chunks(pieces):
            inputs = self._tokenizer.pad({"input_ids": [pieces[i] for i in chunk]}, return_tensors="pt")
            part = (finished / len(pieces), (finished + len(chunk)) / len(pieces))
            texts = _generating.search(
                self._network, self._tokenizer, most, step, _language.moved(inputs, self._place),
                part=part, without=self._names, **more,
            )  # fmt: skip
            finished += len(chunk)
            for i, text in zip(chunk, texts, strict=True):
                done[i] = text
        return done

    def _chunks(self, pieces: list[list[int]]) -> Iterator[tuple[int, list[int]]]:
        """Which pieces go together, and how many tokens are written of each at most: a power of
        two above twice what is read, so that this does not hang on what else there is."""
        limits: dict[int, list[int]] = {}
        for i, tokens in enumerate(pieces):
            limits.setdefault(min(1 << (2 * len(tokens) + 16).bit_length(), self._window), []).append(i)
        for most, alike in sorted(limits.items()):
            for start in range(0, len(alike), self._batch):
                yield most, alike[start : start + self._batch]
