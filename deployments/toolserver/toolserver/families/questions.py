"""Small models that answer questions about pictures in a word or two.

BLIP-VQA   arXiv:2201.12086, huggingface.co/Salesforce/blip-vqa-base: writes its answer
ViLT       arXiv:2102.03334, huggingface.co/dandelin/vilt-b32-finetuned-vqa: chooses among
           three thousand answers, each with a probability of its own
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import BlipForQuestionAnswering, BlipProcessor, GenerationConfig, ViltForQuestionAnswering, ViltProcessor

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language
from ._seeing import architecture, picture

TASKS = frozenset({"visual-question-answering"})

KINDS = ("BlipForQuestionAnswering", "ViltForQuestionAnswering")


def load(model: Model, place: Place) -> Questions:
    if architecture(place.folder, KINDS) == KINDS[0]:
        return Writes(place, _language.network(BlipForQuestionAnswering, place), _language.reader(BlipProcessor, place.folder))
    return Chooses(place, _language.network(ViltForQuestionAnswering, place), _language.reader(ViltProcessor, place.folder))


class Questions:
    """A model that answers questions, one after the other: questions of other lengths would
    change each other's answers, for BLIP looks at what fills them up."""

    def __init__(self, place: Place, network: Any, processor: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._processor = place, network, processor
        self._window = _language.window_of(network.config, processor.tokenizer)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return None

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        results = []
        for i, request in enumerate(requests):
            tokens = self._processor.tokenizer(_language.inert(request.inputs["question"], self._processor.tokenizer), return_tensors="pt")
            if tokens["input_ids"].shape[1] > self._window:
                raise Fault("too_large", f"The question is longer than the {self._window} tokens that this model reads at once.")
            pixels = self._processor.image_processor(picture(request), return_tensors="pt")
            inputs = _language.moved({**tokens, **pixels}, self._place)
            results.append(self._answer(inputs, request, step, (i / len(requests), (i + 1) / len(requests))))
        return results

    def _answer(self, inputs: dict[str, Any], request: Request, step: Step, part: tuple[float, float]) -> Result:
        raise NotImplementedError


class Writes(Questions):
    """BLIP."""

    def __init__(self, place: Place, network: Any, processor: Any) -> None:  # noqa: ANN401
        super().__init__(place, network, processor)
        self._window = min(self._window, int(network.config.text_config.max_position_embeddings))
        self._usual = GenerationConfig(eos_token_id=network.config.text_config.sep_token_id)  # type: ignore[no-untyped-call]

    def _answer(self, inputs: dict[str, Any], request: Request, step: Step, part: tuple[float, float]) -> Result:
        inputs.pop("token_type_ids", None)
        how = _generating.Manner(most=20)
        (text,) = _generating.write(self._network, self._processor.tokenizer, [how], step, inputs, part=part, usual=self._usual)
        return [{"answer": text.text, "score": _language.score(text.score)}]


class Chooses(Questions):
    """ViLT."""

    def _answer(self, inputs: dict[str, Any], request: Request, step: Step, part: tuple[float, float]) -> Result:
        shares = self._network(**inputs).logits.float().sigmoid()[0].cpu()
        best = shares.topk(min(request.parameters.get("top_k", 5), len(shares)))
        step(part[1])
        names = self._network.config.id2label
        return [
            {"answer": str(names[int(i)]), "score": _language.score(float(value))}
            for value, i in zip(best.values, best.indices, strict=True)
        ]
