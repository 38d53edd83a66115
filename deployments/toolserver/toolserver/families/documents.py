"""Donut, which reads a document and answers without any other reader (arXiv:2111.15664,
huggingface.co/naver-clova-ix/donut-base-finetuned-docvqa).

It is asked by marks that it was made with: <s_docvqa><s_question>…</s_question><s_answer>.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import DonutProcessor, VisionEncoderDecoderModel

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language
from ._seeing import picture

TASKS = frozenset({"document-question-answering"})

ASKED = "<s_docvqa><s_question>{question}</s_question><s_answer>"

MARK = re.compile(r"</?s(_[^<>]*)?>|<pad>|<unk>")


def load(model: Model, place: Place) -> Documents:
    processor = _language.reader(DonutProcessor, place.folder)
    return Documents(place, _language.network(VisionEncoderDecoderModel, place, ignore=("encoder.pooler",)), processor)


class Documents:
    """A model that reads documents."""

    def __init__(self, place: Place, network: Any, processor: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._processor = place, network, processor
        self._context = int(network.config.decoder.max_position_embeddings)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return None  # questions of one length could go together, which is rare

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        results = []
        for i, request in enumerate(requests):
            part = (i / len(requests), (i + 1) / len(requests))
            results.append(self._one(request, step, part))
        return results

    def _one(self, request: Request, step: Step, part: tuple[float, float]) -> Result:
        tokenizer = self._processor.tokenizer
        asked = ASKED.replace("{question}", _language.inert(request.inputs["question"], tokenizer))
        tokens = tokenizer(asked, add_special_tokens=False, return_tensors="pt")["input_ids"]
        most = _generating.room(tokens.shape[1], self._context, request.parameters.get("max_answer_len", self._context))
        pixels = self._processor.image_processor(picture(request), return_tensors="pt")
        inputs = _language.moved({"pixel_values": pixels["pixel_values"], "decoder_input_ids": tokens}, self._place)
        how = _generating.Manner(most=most)
        (text,) = _generating.write(self._network, tokenizer, [how], step, inputs, part=part, special=True)
        answer = MARK.sub("", text.text.partition("</s_answer>")[0]).strip()
        # where it stands among the words of the page is not known without a reader of words
        return [{"answer": answer, "score": _language.score(text.score), "start": 0, "end": 0}]
