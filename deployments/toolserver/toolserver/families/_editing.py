"""Editing a picture by instruction, or making variations of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from PIL import Image

from ..work import Request
from . import _canvas, _diffusion


class Editing:
    """Models that take instructions are told what to change; the others draw over the picture,
    after words that describe the result. The answer has the size of the picture, or the size
    that was asked for; of a picture in another shape than that, the middle is taken."""

    PIPELINES: Mapping[str, str] = {
        "StableDiffusionPipeline": "StableDiffusionImg2ImgPipeline",
        "StableDiffusionXLPipeline": "StableDiffusionXLImg2ImgPipeline",
        "ZImagePipeline": "ZImageImg2ImgPipeline",
        "StableDiffusionInstructPix2PixPipeline": "StableDiffusionInstructPix2PixPipeline",
        "QwenImageEditPipeline": "QwenImageEditPipeline",
        "QwenImageEditPlusPipeline": "QwenImageEditPlusPipeline",
        "Flux2KleinPipeline": "Flux2KleinPipeline",
    }
    FREE: ClassVar[bool] = False
    PICTURE: ClassVar[bool] = True

    def words(self, request: Request, pipeline: str) -> tuple[str, str | None]:
        asked = (request.parameters.get("prompt") or "").strip()
        instead = "variation_instruction" if pipeline in _diffusion.INSTRUCTED else "variation"
        return asked or _diffusion.fixed(instead), request.parameters.get("negative_prompt")

    def size(self, request: Request) -> _canvas.Size:
        if target := request.parameters.get("target_size"):
            return int(target["width"]), int(target["height"])
        wide, high = request.inputs.size
        return wide, high

    def media(self, requests: Sequence[Request], size: _canvas.Size, pipeline: str) -> dict[str, Any]:
        pictures = [_canvas.flat(r.inputs) for r in requests]
        whole = [
            _canvas.scaled(p, size) if "target_size" not in r.parameters else _canvas.cropped(p, size)
            for p, r in zip(pictures, requests, strict=True)
        ]
        return {"image": whole}

    def alike(self, request: Request) -> Hashable:
        return None

    def finish(self, request: Request, drawn: Image.Image) -> Image.Image:
        return _canvas.scaled(drawn, self.size(request))
