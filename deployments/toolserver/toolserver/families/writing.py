"""Models that write what they are told: Qwen3, SmolLM3 and others that transformers loads as
AutoModelForCausalLM.

What is sent is one message of the user in the model's own chat template; a model without one
goes on with the text. Models that think first (Qwen3, SmolLM3) are told by their template not
to. Summaries and translations are asked for in words (words/writing_*.txt).

    Qwen3      arXiv:2505.09388, huggingface.co/Qwen/Qwen3-8B
    SmolLM3    huggingface.co/HuggingFaceTB/SmolLM3-3B

Options in models.yaml: context, how many tokens are read and written at most; tokens, how many
are written where nothing is said; longest, how many are written whatever is said.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language, _tongues

TASKS = frozenset({"text-generation", "summarization", "translation"})

ANSWERS = {"text-generation": "generated_text", "summarization": "summary_text", "translation": "translation_text"}
"""The hub's names for the generated text."""


def load(model: Model, place: Place) -> Writing:
    tokenizer = _language.reader(AutoTokenizer, place.folder, padding_side="left")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Writing(model, place, _language.network(AutoModelForCausalLM, place), tokenizer)


class Writing:
    """A model that writes."""

    def __init__(self, model: Model, place: Place, network: Any, tokenizer: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._tokenizer = place, network, tokenizer
        self._tokens = int(model.options.get("tokens", 1024))
        self._context = _language.context_of(network.config, tokenizer, model.options)
        self._longest = int(model.options.get("longest", self._context))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "texts"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        asked = [self._asked(r) for r in requests]
        read = [self._tokenizer(text, add_special_tokens=not self._tokenizer.chat_template)["input_ids"] for text in asked]
        manners = []
        for request, tokens in zip(requests, read, strict=True):
            how = _generating.manner(request.parameters, self._tokens, self._network.generation_config)
            how = _generating.bound(how, self._longest)
            manners.append(replace(how, most=_generating.room(len(tokens), self._context, how.most)))
        results: list[Result] = []
        for part in _generating.shares([len(tokens) for tokens in read], [how.most for how in manners], self._context):
            inputs = self._tokenizer.pad({"input_ids": [read[i] for i in part]}, return_tensors="pt")
            texts = _generating.write(
                self._network, self._tokenizer, [manners[i] for i in part], step, _language.moved(inputs, self._place),
                part=(part.start / len(requests), part.stop / len(requests)),
            )  # fmt: skip
            results += [_answer(requests[i], text.text) for i, text in zip(part, texts, strict=True)]
        return results

    def _asked(self, request: Request) -> str:
        text = _language.inert(request.inputs, self._tokenizer)
        if request.task == "summarization":
            text = _language.told("writing_summary").replace("{text}", text)
        elif request.task == "translation":
            text = _translation(request).replace("{text}", text)
        if not self._tokenizer.chat_template:
            return text
        talk = [{"role": "user", "content": text}]
        return str(self._tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True, enable_thinking=False))


def _translation(request: Request) -> str:
    """The words that ask for a translation, which takes ISO codes."""
    to, source = request.parameters.get("tgt_lang"), request.parameters.get("src_lang")
    if not to:
        raise _tongues.missing("tgt_lang", "into which language")
    if to not in _tongues.NAMES:
        raise _tongues.unknown("tgt_lang")
    if source and source not in _tongues.NAMES:
        raise _tongues.unknown("src_lang")
    told = _language.told("writing_translation").replace("{from}", f"from {_tongues.NAMES[source]} " if source else "")
    return told.replace("{to}", _tongues.NAMES[to])


def _answer(request: Request, text: str) -> Result:
    whole = request.inputs + text if request.parameters.get("return_full_text") else text
    answer = {ANSWERS[request.task]: whole}
    return [answer] if request.task == "text-generation" else answer
