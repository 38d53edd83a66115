"""Models that draw: from words alone, over a picture, within a mask.

Stable Diffusion 1.5 and XL (Rombach et al. 2022, Podell et al. 2023), FLUX.1 and FLUX.2 klein
(Black Forest Labs), Z-Image (Tongyi-MAI, 2025), Qwen-Image and Qwen-Image-Edit (Wu et al. 2025),
InstructPix2Pix (Brooks et al. 2023), by diffusers' pipelines of these names. One model in
memory does all tasks that models.yaml lists it for.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from PIL import Image

from ..registry import Model
from ..work import Place, Request
from . import _canvas, _diffusion
from ._editing import Editing
from ._inpainting import Inpainting


class Drawing:
    """A picture from words alone."""

    PIPELINES: Mapping[str, str] = {
        name: name
        for name in (
            "StableDiffusionPipeline",
            "StableDiffusionXLPipeline",
            "ZImagePipeline",
            "FluxPipeline",
            "Flux2KleinPipeline",
            "QwenImagePipeline",
        )
    }
    FREE: ClassVar[bool] = True
    PICTURE: ClassVar[bool] = False

    def words(self, request: Request, pipeline: str) -> tuple[str, str | None]:
        return request.inputs, request.parameters.get("negative_prompt")

    def size(self, request: Request) -> _canvas.Size:
        width, height = request.parameters.get("width", 0), request.parameters.get("height", 0)
        return width or height, height or width

    def media(self, requests: Sequence[Request], size: _canvas.Size, pipeline: str) -> dict[str, Any]:
        return {}

    def alike(self, request: Request) -> Hashable:
        return None

    def finish(self, request: Request, drawn: Image.Image) -> Image.Image:
        wanted = self.size(request)
        return _canvas.scaled(drawn, wanted) if all(wanted) else drawn


WAYS: Mapping[str, _diffusion.Way] = {
    "text-to-image": Drawing(),
    "image-to-image": Editing(),
    "image-to-image+mask": Inpainting(),
}

TASKS = frozenset(WAYS)


def load(model: Model, place: Place) -> _diffusion.Diffusion:
    return _diffusion.load(model, place, WAYS)
