"""Inpainting: changing the masked area by a prompt, or removing what is there."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from PIL import Image

from ..faults import Fault
from ..work import Request
from . import _canvas, _diffusion


class Inpainting:
    """The part around the mask is worked on at full detail and put back into the picture, which
    stays as it was, to the last bit, wherever the mask is black."""

    PIPELINES: Mapping[str, str] = {
        "StableDiffusionPipeline": "StableDiffusionInpaintPipeline",
        "StableDiffusionInpaintPipeline": "StableDiffusionInpaintPipeline",
        "StableDiffusionXLPipeline": "StableDiffusionXLInpaintPipeline",
        "StableDiffusionXLInpaintPipeline": "StableDiffusionXLInpaintPipeline",
        "ZImagePipeline": "ZImageInpaintPipeline",
        "QwenImageEditPipeline": "QwenImageEditInpaintPipeline",
        "QwenImageEditPlusPipeline": "QwenImageEditInpaintPipeline",
        "Flux2KleinPipeline": "Flux2KleinInpaintPipeline",
    }
    FREE: ClassVar[bool] = False
    PICTURE: ClassVar[bool] = True

    def words(self, request: Request, pipeline: str) -> tuple[str, str | None]:
        asked = (request.parameters.get("prompt") or "").strip()
        avoided = request.parameters.get("negative_prompt")
        if asked:
            return asked, avoided
        if pipeline in _diffusion.INSTRUCTED:
            return _diffusion.fixed("vanish_instruction"), avoided
        return _diffusion.fixed("vanish"), avoided or _diffusion.fixed("vanish_negative")

    def size(self, request: Request) -> _canvas.Size:
        left, top, right, bottom = _part(request)
        return right - left, bottom - top

    def media(self, requests: Sequence[Request], size: _canvas.Size, pipeline: str) -> dict[str, Any]:
        return {
            "image": [_canvas.scaled(_canvas.flat(r.inputs).crop(_part(r)), size) for r in requests],
            "mask_image": [r.parameters["mask_image"].crop(_part(r)).resize(size, Image.Resampling.BILINEAR) for r in requests],
        }

    def alike(self, request: Request) -> Hashable:
        return None

    def finish(self, request: Request, drawn: Image.Image) -> Image.Image:
        part = _part(request)
        picture = _canvas.flat(request.inputs)
        whole = picture.copy()
        whole.paste(_canvas.scaled(drawn, (part[2] - part[0], part[3] - part[1])), part[:2], request.parameters["mask_image"].crop(part))
        if target := request.parameters.get("target_size"):
            return _canvas.cropped(whole, (target["width"], target["height"]))
        return whole


def _part(request: Request) -> tuple[int, int, int, int]:
    part = _canvas.around(request.parameters["mask_image"])
    if part is None:
        raise Fault("invalid_input", "The mask is empty: white is what is meant.")
    return part
