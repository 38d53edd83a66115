"""Which way surfaces face: Marigold (Ke et al. 2024), which draws normals by diffusion.

The answer is a picture in the size of the one that was sent, whose red, green and blue are the
directions to the right, up and towards who looks, from 0 for -1 to 255 for 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import torch
from PIL import Image

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _components, _seeing

TASKS = frozenset({"image-to-image+control"})


class Normals:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        self.steps = int(model.options.get("steps", 4))
        self.size = int(model.options.get("size", 768))
        """The longer side of what is looked at, in pixels: what it was trained with."""
        if _components.index(place.folder)["_class_name"] != "MarigoldNormalsPipeline":
            raise Fault("weights_mismatch", "The weights are of an architecture that this family does not load.")
        known = _components.parts(place.folder, place.dtype)
        self.pipe = _components.pipeline("MarigoldNormalsPipeline", place.folder, known, place.device)
        self.pipe.set_progress_bar_config(disable=True)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.pipe.vae, self.pipe.unet, self.pipe.text_encoder]

    def key(self, request: Request) -> Hashable:
        return request.task, request.inputs.size

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        if any(request.parameters.get("control_mode") != "normal" for request in requests):
            raise Fault("invalid_parameter", "This model makes maps of normals only.")
        images = [_seeing.picture(request) for request in requests]
        done = 0

        def between(*_: object) -> None:
            nonlocal done
            done += 1
            step(min(done / (self.steps + 1), 1))

        # the pipeline has no callback of its own
        hook = self.pipe.unet.register_forward_hook(between)
        try:
            made = self.pipe(
                images,
                num_inference_steps=self.steps,
                processing_resolution=self.size,
                match_input_resolution=True,
                batch_size=len(images),
                # the same noise each time, so that the same picture has the same map, alone or not
                generator=[torch.Generator("cpu").manual_seed(0) for _ in images],
                output_type="np",
            ).prediction
        finally:
            hook.remove()
        return [Image.fromarray(np.rint((np.clip(np.nan_to_num(one), -1, 1) + 1) * 127.5).astype(np.uint8)) for one in made]


def load(model: Model, place: Place) -> Normals:
    return Normals(model, place)
