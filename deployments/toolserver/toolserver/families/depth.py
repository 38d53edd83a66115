"""How near things are: Depth Anything (Yang et al. 2024) and DPT (Ranftl et al. 2021).

The answer is a grey picture in the size of the one that was sent; the nearest is white, the
furthest black, whatever the distances are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing

TASKS = frozenset({"depth-estimation", "image-to-image+control"})

ARCHITECTURES = frozenset({"DepthAnythingForDepthEstimation", "DPTForDepthEstimation", "ZoeDepthForDepthEstimation"})


class Depth:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        name = _seeing.architecture(place.folder, ARCHITECTURES)
        self.processor = _seeing.open_processor(place.folder)
        self.net = _seeing.open_model(place.folder, place, name)
        # most tell how near things are, up to a scale; some tell metres
        metric = name.startswith("Zoe") or getattr(self.net.config, "depth_estimation_type", "relative") == "metric"
        self.far_is_more = bool(metric)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable:
        return request.task, _seeing.shape_key(self.processor, request)

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        if any(request.parameters.get("control_mode", "depth") != "depth" for request in requests):
            raise Fault("invalid_parameter", "This model makes maps of depth only.")
        images = [_seeing.picture(request) for request in requests]
        inputs = self.processor(images=images, return_tensors="pt", device=self.place.device)
        seen = self.net(pixel_values=_seeing.moved(inputs, self.place)["pixel_values"]).predicted_depth.float()
        step(0.9)
        results: list[Result] = []
        for image, one in zip(images, seen, strict=True):
            if self.far_is_more:
                one = 1 / one.clamp(min=1e-3)
            grown = functional.interpolate(one[None, None], (image.height, image.width), mode="bilinear")[0, 0]
            results.append(Image.fromarray(_grey(grown.cpu().numpy())))
        step(1)
        return results


def _grey(near: np.ndarray) -> np.ndarray:
    """From 0 for what is furthest to 255 for what is nearest."""
    near = np.nan_to_num(near)
    least, most = float(near.min()), float(near.max())
    share = (near - least) / (most - least) if most > least else np.zeros_like(near)
    return np.rint(share * 255).astype(np.uint8)


def load(model: Model, place: Place) -> Depth:
    return Depth(model, place)
