"""Detectors of a fixed set of things: RF-DETR, RT-DETR and RT-DETRv2, DETR and its kin.

Papers: Carion et al. 2020 (DETR), Lv et al. 2024 (RT-DETRv2), Robinson et al. 2025 (RF-DETR).
All are loaded by transformers' own classes; the answer is that of the hub's object-detection.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing

TASKS = frozenset({"object-detection"})

ARCHITECTURES = frozenset(
    {
        "RfDetrForObjectDetection",
        "RTDetrV2ForObjectDetection",
        "RTDetrForObjectDetection",
        "DFineForObjectDetection",
        "DetrForObjectDetection",
        "ConditionalDetrForObjectDetection",
        "DeformableDetrForObjectDetection",
        "YolosForObjectDetection",
    }
)


class Detector:
    """One detector with its processor."""

    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        self.threshold = float(model.options.get("threshold", 0.5))
        self.processor = _seeing.open_processor(place.folder)
        self.net = _seeing.open_model(place.folder, place, _seeing.architecture(place.folder, ARCHITECTURES))
        self.labels: dict[int, str] = {int(i): str(name) for i, name in self.net.config.id2label.items()}

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable:
        return request.task, _seeing.shape_key(self.processor, request)

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        images = [_seeing.picture(request) for request in requests]
        thresholds = [float(request.parameters.get("threshold", self.threshold)) for request in requests]
        found = self.find(images, min(thresholds))
        step(1)
        return [self._told(one, threshold, image.size) for one, threshold, image in zip(found, thresholds, images, strict=True)]

    def find(self, images: Sequence[Any], threshold: float) -> list[dict[str, torch.Tensor]]:
        """scores, labels and boxes of each picture, in its pixels, from the threshold on."""
        inputs = _seeing.moved(self.processor(images=list(images), return_tensors="pt", device=self.place.device), self.place)
        outputs = self.net(**inputs)
        # in full precision: half of it cannot tell the pixels of a large picture apart
        outputs.logits, outputs.pred_boxes = outputs.logits.float(), outputs.pred_boxes.float()
        made: list[dict[str, torch.Tensor]] = self.processor.post_process_object_detection(
            outputs, threshold=threshold, target_sizes=_seeing.sizes(images)
        )
        return [{name: value.cpu() for name, value in one.items()} for one in made]

    def _told(self, found: dict[str, torch.Tensor], threshold: float, size: tuple[int, int]) -> list[dict[str, Any]]:
        told = []
        for sure, label, sides in zip(found["scores"].tolist(), found["labels"].tolist(), found["boxes"].tolist(), strict=True):
            name, box = self.labels.get(label, "N/A"), _seeing.box(sides, size)
            # COCO's numbers have gaps, which models have as classes named N/A
            if box is not None and sure >= threshold and name != "N/A":
                told.append({"label": name, "score": _seeing.score(sure), "box": box})
        return sorted(told, key=lambda one: -one["score"])


def load(model: Model, place: Place) -> Detector:
    return Detector(model, place)
