"""What is done in a video: ViViT (Arnab et al. 2021, arXiv:2103.15691), V-JEPA 2 and others of
transformers' classes with a head of classes; and X-CLIP (Ni et al. 2022, arXiv:2208.02816),
which holds the video against words: option ``labels`` names the file of words/ that has them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers import AutoImageProcessor, AutoTokenizer, AutoVideoProcessor

from ..faults import Fault
from ..registry import Model
from ..work import Film, Place, Request, Result, Step
from ._seeing import architecture
from ._strict import pretrained
from .sounding import chosen, ranked

TASKS = frozenset({"video-classification"})

CLASSES = (
    "VivitForVideoClassification",
    "TimesformerForVideoClassification",
    "VJEPA2ForVideoClassification",
    "XCLIPModel",
)


def looked_at(film: Film, wanted: int, apart: int | None) -> list[np.ndarray]:
    """As many frames as the network wants: spread over the film, or apart frames from each
    other around its middle. A shorter film has frames more than once."""
    count = len(film.frames)
    if count == 0:
        raise Fault("invalid_input", "The video has no frames.")
    if apart:
        span = min(count - 1, apart * (wanted - 1))
        first = (count - 1 - span) // 2
        places = np.linspace(first, first + span, wanted)
    else:
        places = np.linspace(0, count - 1, wanted)
    return [np.ascontiguousarray(film.frames[i]) for i in places.round().astype(int)]


class Watching:
    def __init__(self, model: Any, processor: Any, place: Place, words: tuple[list[str], torch.Tensor] | None) -> None:  # noqa: ANN401
        self.model, self.processor, self.place, self.words = model, processor, place, words
        config = model.config.vision_config if words else model.config
        self.frames = int(getattr(config, "num_frames", 0) or getattr(config, "frames_per_clip", 16))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.model]

    def key(self, request: Request) -> Hashable | None:
        """All may be looked at together: each is brought to the frames and the size of the network."""
        return "any"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        told: list[Result] = []
        for i, request in enumerate(requests):
            step(i / len(requests))
            p = request.parameters
            if p.get("num_frames") not in (None, self.frames):
                raise Fault("invalid_parameter", f"num_frames: this model looks at {self.frames} frames.")
            scores, labels = self._scores(looked_at(request.inputs, self.frames, p.get("frame_sampling_rate")), p.get("function_to_apply"))
            told.append(ranked(scores, labels, p.get("top_k")))
        step(1.0)
        return told

    def _scores(self, frames: list[np.ndarray], how: str | None) -> tuple[torch.Tensor, dict[int, str]]:
        taken = self.processor(frames if self.words or not hasattr(self.model, "vjepa2") else [np.stack(frames)], return_tensors="pt")
        name = "pixel_values_videos" if "pixel_values_videos" in taken else "pixel_values"
        values = taken[name].to(self.place.device, self.place.dtype)
        if values.ndim == 4:
            values = values[None]
        if self.words is None:
            return chosen(self.model(**{name: values}).logits[0].float(), False, how), self.model.config.id2label
        labels, (ids, mask) = self.words[0], self.words[1]
        seen = self.model(input_ids=ids.to(self.place.device), attention_mask=mask.to(self.place.device), pixel_values=values)
        return chosen(seen.logits_per_video[0].float(), False, how), dict(enumerate(labels))


def load(model: Model, place: Place) -> Watching:
    named = architecture(place.folder, CLASSES)
    whole = pretrained(getattr(transformers, named), place.folder, place.dtype, place.device, ignore=("position_ids",))
    try:
        kind: Any = AutoVideoProcessor if named == "VJEPA2ForVideoClassification" else AutoImageProcessor
        processor = kind.from_pretrained(place.folder, local_files_only=True)
        words = None
        if named == "XCLIPModel":
            text = (Path(__file__).with_name("words") / f"{model.options['labels']}.txt").read_text(encoding="utf-8")
            labels = [line.strip() for line in text.splitlines() if line.strip()]
            tokenizer = AutoTokenizer.from_pretrained(place.folder, local_files_only=True)
            read = tokenizer(labels, padding=True, return_tensors="pt")
            words = labels, torch.stack([read.input_ids, read.attention_mask])
    except (OSError, ValueError) as err:
        raise Fault("weights_mismatch", "The model's preprocessor_config.json is missing or does not fit.") from err
    return Watching(whole, processor, place, words)
