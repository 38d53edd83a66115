"""BLIP, which writes short captions (arXiv:2201.12086,
huggingface.co/Salesforce/blip-image-captioning-large).

It cannot be told what to write, and says so to who asks for something else than a caption.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import BlipForConditionalGeneration, BlipProcessor, GenerationConfig

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language
from ._seeing import picture

TASKS = frozenset({"image-to-text"})


def load(model: Model, place: Place) -> Captioning:
    processor = _language.reader(BlipProcessor, place.folder)
    return Captioning(model, place, _language.network(BlipForConditionalGeneration, place), processor)


class Captioning:
    """A model that writes captions."""

    def __init__(self, model: Model, place: Place, network: Any, processor: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._processor = place, network, processor
        self._tokens = int(model.options.get("tokens", 50))
        self._most = int(network.config.text_config.max_position_embeddings) - 8
        self._usual = GenerationConfig(eos_token_id=network.config.text_config.sep_token_id)  # type: ignore[no-untyped-call]

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "pictures"  # which are all brought to one size

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        if any(r.parameters.get("prompt") for r in requests):
            raise Fault("invalid_parameter", "prompt: this model writes captions, and cannot be told what else to write.")
        manners = [_generating.manner(r.parameters, self._tokens) for r in requests]
        manners = [_generating.bound(how, self._most) for how in manners]
        pixels = self._processor.image_processor([picture(r) for r in requests], return_tensors="pt")
        texts = _generating.write(
            self._network, self._processor.tokenizer, manners, step, _language.moved(pixels, self._place), usual=self._usual
        )
        return [[{"generated_text": text.text}] for text in texts]
