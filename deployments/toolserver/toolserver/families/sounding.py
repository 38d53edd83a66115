"""What kind of sound is heard: Audio Spectrogram Transformer (Gong et al. 2021,
arXiv:2104.01778), and networks of the wav2vec 2.0 kind with a head of classes.

These look at a few seconds at once. A longer recording is heard in as many parts as cover it,
at most ``parts`` (option, 12) that are spread over it, and what they say is averaged, so that
the answer is of the whole and not of its begin.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
import transformers
from transformers import AutoFeatureExtractor

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from ._seeing import architecture
from ._sound import mono
from ._strict import pretrained

TASKS = frozenset({"audio-classification"})

CLASSES = (
    "ASTForAudioClassification",
    "Wav2Vec2ForSequenceClassification",
    "HubertForSequenceClassification",
    "WavLMForSequenceClassification",
)

SECONDS = 10.24
"""The length of a part, as in AST's training."""

TOP = 5
"""The default number of labels, as on the hub."""


def chosen(logits: torch.Tensor, multi: bool, how: str | None) -> torch.Tensor:
    """Scores from 0 to 1 (with none: as the network has them)."""
    how = how or ("sigmoid" if multi else "softmax")
    if how == "none":
        return logits
    return torch.sigmoid(logits) if how == "sigmoid" else torch.softmax(logits, -1)


def ranked(scores: torch.Tensor, labels: dict[int, str], top: int | None) -> list[dict[str, Any]]:
    """The best first."""
    best = torch.topk(scores.float(), min(top or TOP, scores.shape[-1]))
    return [{"label": labels[i], "score": round(s, 6)} for s, i in zip(best.values.tolist(), best.indices.tolist(), strict=True)]


class Sounding:
    def __init__(self, model: Any, extractor: Any, place: Place, parts: int) -> None:  # noqa: ANN401
        self.model, self.extractor, self.place, self.parts = model, extractor, place, parts
        self.rate = int(extractor.sampling_rate)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.model]

    def key(self, request: Request) -> Hashable | None:
        """All may be heard together: each part is as long as the others."""
        return "any"

    def _parts(self, wave: np.ndarray) -> list[np.ndarray]:
        long = int(SECONDS * self.rate)
        if len(wave) <= long:
            return [wave]
        count = min(self.parts, -(-len(wave) // long))
        return [wave[start : start + long] for start in np.linspace(0, len(wave) - long, count).astype(int)]

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        heard = [self._parts(mono(r.inputs, self.rate)) for r in requests]
        total = sum(len(parts) for parts in heard)
        told: list[Result] = []
        done = 0
        multi = self.model.config.problem_type == "multi_label_classification"
        for request, parts in zip(requests, heard, strict=True):
            scores = []
            for part in parts:
                step(done / total)
                # one by one: parts of different lengths would be heard with silence behind them
                taken = self.extractor([part], sampling_rate=self.rate, return_tensors="pt")
                values = taken[self.model.main_input_name].to(self.place.device, self.place.dtype)
                logits = self.model(values).logits[0].float()
                scores.append(chosen(logits, multi, request.parameters.get("function_to_apply")))
                done += 1
            told.append(ranked(torch.stack(scores).mean(0), self.model.config.id2label, request.parameters.get("top_k")))
        step(1.0)
        return told


def load(model: Model, place: Place) -> Sounding:
    cls = getattr(transformers, architecture(place.folder, CLASSES))
    # their position's convolution is kept as a norm and a direction, under one name or another
    whole = pretrained(cls, place.folder, place.dtype, place.device)
    try:
        kind: Any = AutoFeatureExtractor
        extractor = kind.from_pretrained(place.folder, local_files_only=True)
    except (OSError, ValueError) as err:
        raise Fault("weights_mismatch", "The model's preprocessor_config.json is missing or does not fit.") from err
    return Sounding(whole, extractor, place, int(model.options.get("parts", 12)))
