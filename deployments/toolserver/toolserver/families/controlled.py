"""Models that draw after a map: ControlNet (Zhang et al. 2023) and its unions.

The entry of models.yaml is the control network; its companion ``base`` is the model that it
steers, and ``vae``, if there is one, takes the place of that model's autoencoder. A union is
told what the map is of by a number; a network for one kind of map has that kind in ``modes``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from PIL import Image, ImageOps, ImageStat

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request
from . import _canvas, _components, _diffusion

TASKS = frozenset({"text-to-image+control"})

# By the class of the control network, then by that of the model that it steers.
PIPELINES: Mapping[str, Mapping[str, str]] = {
    "ControlNetUnionModel": {"StableDiffusionXLPipeline": "StableDiffusionXLControlNetUnionPipeline"},
    "ControlNetModel": {
        "StableDiffusionPipeline": "StableDiffusionControlNetPipeline",
        "StableDiffusionXLPipeline": "StableDiffusionXLControlNetPipeline",
    },
    "QwenImageControlNetModel": {"QwenImagePipeline": "QwenImageControlNetPipeline"},
}

UNION = {"pose": 0, "depth": 1, "hed": 2, "scribble": 2, "edge": 3, "line": 3, "normal": 4, "segmentation": 5}
"""The numbers of xinsir/controlnet-union-sdxl-1.0, as its model card lists them: openpose 0,
depth 1, soft lines 2 (hed, pidinet, scribble, ted), hard lines 3 (canny, lineart, mlsd),
normal 4, segment 5."""

DRAWN = frozenset({"edge", "line", "hed", "scribble"})
"""Maps of light lines on black, as control networks know them."""


class Controlled:
    """A picture from words, of the shape of the map."""

    FREE: ClassVar[bool] = False
    PICTURE: ClassVar[bool] = False

    def __init__(self, pipelines: Mapping[str, str], modes: Sequence[str]) -> None:
        self.PIPELINES = pipelines
        self._modes = modes

    def words(self, request: Request, pipeline: str) -> tuple[str, str | None]:
        return request.inputs, request.parameters.get("negative_prompt")

    def size(self, request: Request) -> _canvas.Size:
        wide, high = request.parameters["control_image"].size
        width, height = _asked(request)
        if width and height:
            return width, height
        return width or round(height * wide / high) or wide, height or round(width * high / wide) or high

    def media(self, requests: Sequence[Request], size: _canvas.Size, pipeline: str) -> dict[str, Any]:
        mode = requests[0].parameters["control_mode"]
        if self._modes and mode not in self._modes:
            raise Fault("invalid_parameter", f"control_mode: this model follows maps of the kinds {', '.join(self._modes)}.")
        maps = [_canvas.scaled(_map(r), size) for r in requests]
        more: dict[str, Any] = {}
        if (scale := requests[0].parameters.get("controlnet_conditioning_scale")) is not None:
            more["controlnet_conditioning_scale"] = float(scale)
        if pipeline == "StableDiffusionXLControlNetUnionPipeline":
            return more | {"control_image": [maps], "control_mode": [UNION[mode]]}
        return more | {"control_image" if pipeline == "QwenImageControlNetPipeline" else "image": maps}

    def alike(self, request: Request) -> Hashable:
        return request.parameters["control_mode"], request.parameters.get("controlnet_conditioning_scale")

    def finish(self, request: Request, drawn: Image.Image) -> Image.Image:
        return _canvas.scaled(drawn, self.size(request)) if any(_asked(request)) else drawn


def _asked(request: Request) -> _canvas.Size:
    return request.parameters.get("width") or 0, request.parameters.get("height") or 0


def _map(request: Request) -> Image.Image:
    """The map, and lines that were drawn dark on light the other way round."""
    picture = _canvas.flat(request.parameters["control_image"])
    if request.parameters["control_mode"] in DRAWN and ImageStat.Stat(picture.convert("L")).mean[0] > 127:
        return ImageOps.invert(picture)
    return picture


def load(model: Model, place: Place) -> _diffusion.Diffusion:
    name = str(_components.index(place.folder)["_class_name"])
    pipelines = PIPELINES.get(_components.CLASSES.get(name, name))
    if pipelines is None or "base" not in place.companions:
        raise Fault("weights_mismatch", "The control network is of a class that is not known here, or has no model to steer.")
    companions = {what: folder for what, folder in place.companions.items() if what != "base"}
    whole = replace(place, folder=place.companions["base"], companions=companions | {"controlnet": place.folder})
    return _diffusion.load(model, whole, {"text-to-image+control": Controlled(pipelines, model.modes)})
