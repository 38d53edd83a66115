"""The things of a picture, outlined and named: RF-DETR (Robinson et al. 2025), Mask2Former and
MaskFormer (Cheng et al. 2021, 2022), DETR (Carion et al. 2020).

The answer is that of the hub's image-segmentation. A prompt leaves what it means: things that it
names, or else the main ones, which are large and in the middle. With the companion "outlines",
a model of Segment Anything, those are outlined anew, more exactly than detectors do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing, anything

TASKS = frozenset({"image-segmentation"})

ARCHITECTURES = frozenset(
    {"RfDetrForInstanceSegmentation", "Mask2FormerForUniversalSegmentation", "MaskFormerForInstanceSegmentation", "DetrForSegmentation"}
)

MOST = 128
"""The maximum number of segments in an answer."""
MAIN = 0.25
"""Of how much of the weight of the main thing another one must be to belong to it."""


class Segmenter:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        self.threshold = float(model.options.get("threshold", 0.5))
        name = _seeing.architecture(place.folder, ARCHITECTURES)
        self.processor = _seeing.open_processor(place.folder)
        self.net = _seeing.open_model(place.folder, place, name)
        self.logits = name.startswith("RfDetr")
        """Whether its processor takes the threshold of masks as a logit."""
        self.labels = {int(i): str(label) for i, label in self.net.config.id2label.items()}
        self.outlines = None
        if "outlines" in place.companions:
            self.outlines = anything.Anything(model, Place(place.companions["outlines"], place.device, place.dtype))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net] if self.outlines is None else [self.net, self.outlines.net]

    def key(self, request: Request) -> Hashable:
        # thresholds are the processor's for a whole batch
        given = {name: value for name, value in request.parameters.items() if name != "prompt"}
        return request.task, _seeing.shape_key(self.processor, request), tuple(sorted(given.items()))

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        images = [_seeing.picture(request) for request in requests]
        inputs = _seeing.moved(self.processor(images=images, return_tensors="pt", device=self.place.device), self.place)
        outputs = self.net(**inputs)
        for name, value in outputs.items():
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                outputs[name] = value.float()
        step(0.5)
        made = self._maps(outputs, requests[0], images)
        results: list[Result] = []
        for i, (request, image, (ids, segments)) in enumerate(zip(requests, images, made, strict=True)):
            step(0.5 + 0.5 * i / len(images))
            found = [(label, sure, ids == number) for number, label, sure in segments]
            found = [one for one in found if one[2].any()][:MOST]
            if request.parameters.get("prompt"):
                found = self._outlined(image, meant(found, str(request.parameters["prompt"])))
            results.append([{"label": label, "score": _seeing.score(sure), "mask": _seeing.mask(cover)} for label, sure, cover in found])
        step(1)
        return results

    def _maps(self, outputs: Any, request: Request, images: Sequence[Image.Image]) -> list[tuple[np.ndarray, list[tuple[int, str, float]]]]:  # noqa: ANN401
        """Of each picture which segment each pixel belongs to, and the segments: their number,
        their label, how sure they are, the surest first."""
        given = request.parameters
        subtask = str(given.get("subtask") or "instance")
        reader = getattr(self.processor, f"post_process_{subtask}_segmentation", None)
        if reader is None:
            raise Fault("invalid_parameter", f"This model does no {subtask} segmentation.")
        more: dict[str, Any] = {"target_sizes": _seeing.sizes(images)}
        if subtask == "semantic":
            return [self._semantic(one.cpu().numpy()) for one in reader(outputs, **more)]
        share = float(given.get("mask_threshold", 0.5))
        more["mask_threshold"] = math.log(max(share, 1e-6) / max(1 - share, 1e-6)) if self.logits else share
        if "overlap_mask_area_threshold" in given and not self.logits:
            more["overlap_mask_area_threshold"] = float(given["overlap_mask_area_threshold"])
        read = reader(outputs, threshold=float(given.get("threshold", self.threshold)), **more)
        return [
            (
                one["segmentation"].cpu().numpy() if one["segments_info"] else np.full((image.height, image.width), -1),
                sorted(
                    [(int(s["id"]), self.labels.get(int(s["label_id"]), "N/A"), float(s["score"])) for s in one["segments_info"]],
                    key=lambda s: -s[2],
                ),
            )
            for one, image in zip(read, images, strict=True)
        ]

    def _semantic(self, classes: np.ndarray) -> tuple[np.ndarray, list[tuple[int, str, float]]]:
        return classes, [(int(i), self.labels.get(int(i), "N/A"), 1.0) for i in np.unique(classes)]

    def _outlined(self, image: Image.Image, found: list[tuple[str, float, np.ndarray]]) -> list[tuple[str, float, np.ndarray]]:
        """The same things, outlined anew by the companion, where there is one."""
        if self.outlines is None or not found:
            return found
        boxes = []
        for _, _, cover in found:
            rows, columns = np.flatnonzero(cover.any(1)), np.flatnonzero(cover.any(0))
            boxes.append([int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1])
        drawn = self.outlines.run([Request("mask-generation", image, {"boxes": boxes})], lambda done, preview=None: None)[0]
        again = [np.asarray(one["mask"]) >= 128 for one in drawn]
        return [(label, sure, new if new.any() else old) for (label, sure, old), new in zip(found, again, strict=True)]


def meant(found: Sequence[tuple[str, float, np.ndarray]], prompt: str) -> list[tuple[str, float, np.ndarray]]:
    """Those segments that words mean: whose label they name; or else the main ones."""
    words = set(re.findall(r"\w+", prompt.lower()))
    named = [one for one in found if one[0] and all(part in words or f"{part}s" in words for part in re.findall(r"\w+", one[0].lower()))]
    if named or not found:
        return named
    weights = [_weight(cover) * sure for _, sure, cover in found]
    return [one for one, weight in zip(found, weights, strict=True) if weight >= MAIN * max(weights)]


def _weight(cover: np.ndarray) -> float:
    """How much a segment is a picture's main thing: its area, that in the middle the most."""
    height, width = cover.shape
    down, along = np.abs(np.linspace(-1, 1, height)), np.abs(np.linspace(-1, 1, width))
    return float(cover @ (1 - 0.8 * along) @ (1 - 0.8 * down))


def load(model: Model, place: Place) -> Segmenter:
    return Segmenter(model, place)
