"""Image classifiers: ViT, ConvNeXt, Swin, ResNet and similar models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import torch

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing

TASKS = frozenset({"image-classification"})

ARCHITECTURES = frozenset(
    f"{name}ForImageClassification"
    for name in (
        "ViT",
        "DeiT",
        "Swin",
        "Swinv2",
        "ConvNext",
        "ConvNextV2",
        "ResNet",
        "Beit",
        "Dinov2",
        "Dinov2WithRegisters",
        "MobileNetV2",
    )
)

TOP = 5


class Classifier:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        self.processor = _seeing.open_processor(place.folder)
        self.net = _seeing.open_model(place.folder, place, _seeing.architecture(place.folder, ARCHITECTURES))
        self.labels = {int(i): str(name) for i, name in self.net.config.id2label.items()}
        self.apply = "sigmoid" if self.net.config.problem_type == "multi_label_classification" or len(self.labels) == 1 else "softmax"

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable:
        # those that cut out the middle of a picture make all of one size too
        return request.task

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        images = [_seeing.picture(request) for request in requests]
        pixels = _seeing.moved(self.processor(images=images, return_tensors="pt", device=self.place.device), self.place)["pixel_values"]
        logits = self.net(pixel_values=pixels).logits.float().cpu()
        step(1)
        return [self._told(request, one) for request, one in zip(requests, logits, strict=True)]

    def _told(self, request: Request, logits: torch.Tensor) -> list[dict[str, object]]:
        apply = request.parameters.get("function_to_apply") or self.apply
        scores = {"softmax": logits.softmax(-1), "sigmoid": logits.sigmoid(), "none": logits}[apply]
        best, which = scores.topk(min(int(request.parameters.get("top_k") or TOP), len(scores)))
        return [{"label": self.labels[i], "score": round(sure, 6)} for sure, i in zip(best.tolist(), which.tolist(), strict=True)]


def load(model: Model, place: Place) -> Classifier:
    return Classifier(model, place)
