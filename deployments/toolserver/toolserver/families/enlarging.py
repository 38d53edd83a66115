"""Models that enlarge pictures: Swin2SR (Conde et al. 2022) and Stable Diffusion's upscaler.

Options of models.yaml: ``tile`` and ``margin`` (see _tiles), and for the upscaler ``steps``,
``guidance`` and ``noise`` (how much of the small picture is drawn anew, 0 to 350).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import Swin2SRForImageSuperResolution

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _components, _diffusion
from ._tiles import Tiling

TASKS = frozenset({"image-to-image+size"})

MOST = 200_000_000
"""The maximum number of pixels of the result."""


class _Enlarger:
    """What both have in common."""

    tiling: Tiling

    def key(self, request: Request) -> Hashable | None:
        return None  # the parts of one picture keep the device busy

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        targets = [_target(r) for r in requests]
        total = sum(self.tiling.count(r.inputs.size, t) for r, t in zip(requests, targets, strict=True))
        done = 0
        step(0.0)

        def enlarge(part: Image.Image) -> Image.Image:
            nonlocal done
            large = self.enlarge(part, lambda share, preview=None: step((done + share) / total))
            done += 1
            step(done / total)
            return large

        made = []
        for request, target in zip(requests, targets, strict=True):
            large = self.tiling.enlarge(request.inputs.convert("RGB"), target, enlarge)
            if request.inputs.mode == "RGBA":
                large.putalpha(request.inputs.getchannel("A").resize(target, Image.Resampling.BICUBIC))
            made.append(large)
        return made

    def enlarge(self, part: Image.Image, step: Step) -> Image.Image:
        raise NotImplementedError


def _target(request: Request) -> tuple[int, int]:
    wanted = request.parameters["target_size"]
    width, height = int(wanted["width"]), int(wanted["height"])
    if width < request.inputs.width or height < request.inputs.height:
        raise Fault("invalid_parameter", "target_size: it is smaller than the picture.")
    if width * height > MOST:
        raise Fault("too_large", f"target_size: at most {MOST // 1_000_000} million pixels are made.")
    return width, height


def _padded(part: Image.Image, multiple: int) -> np.ndarray:
    """Bytes, with the last row and column repeated until both sides are multiples."""
    pixels = np.asarray(part)
    height, width = pixels.shape[:2]
    padded: np.ndarray = np.pad(pixels, ((0, -height % multiple), (0, -width % multiple), (0, 0)), mode="edge")
    return padded


class Swin2SR(_Enlarger):
    """Invents nothing: the same picture, sharper."""

    def __init__(self, model: Model, place: Place) -> None:
        self._place = place
        self._model = _components.part(Swin2SRForImageSuperResolution, place.folder, place.dtype).to(place.device)
        self._window = int(self._model.config.window_size)
        options = model.options
        self.tiling = Tiling(int(self._model.config.upscale), int(options.get("tile", 256)), int(options.get("margin", 16)))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._model]

    def enlarge(self, part: Image.Image, step: Step) -> Image.Image:
        pixels = torch.from_numpy(_padded(part, self._window)).permute(2, 0, 1)[None]
        made = self._model(pixel_values=pixels.to(self._place.device, self._place.dtype) / 255).reconstruction
        large = (made[0].float().clamp(0, 1) * 255).round().to(torch.uint8).permute(1, 2, 0).cpu().numpy()
        factor = self.tiling.factor
        return Image.fromarray(large[: part.height * factor, : part.width * factor])


class Upscaler(_Enlarger):
    """Draws detail in (stabilityai/stable-diffusion-x4-upscaler)."""

    def __init__(self, model: Model, place: Place) -> None:
        known = _components.parts(place.folder, place.dtype, model.options.get("variant"))
        self._pipe: Any = _components.pipeline("StableDiffusionUpscalePipeline", place.folder, known, place.device)
        options = model.options
        self._call = {
            "num_inference_steps": int(options.get("steps", 25)),
            "guidance_scale": float(options.get("guidance", 4)),
            "noise_level": int(options.get("noise", 20)),
        }
        self._multiple = 2 ** (len(self._pipe.unet.config.block_out_channels) - 1)
        self.tiling = Tiling(int(self._pipe.vae_scale_factor), int(options.get("tile", 128)), int(options.get("margin", 16)))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [p for p in self._pipe.components.values() if isinstance(p, torch.nn.Module)]

    def enlarge(self, part: Image.Image, step: Step) -> Image.Image:
        steps = self._call["num_inference_steps"]
        large: Image.Image = self._pipe(
            prompt=_diffusion.fixed("enlarge"),
            image=Image.fromarray(_padded(part, self._multiple)),
            # the same for each part, and for each time the picture is enlarged
            generator=torch.Generator("cpu").manual_seed(0),
            callback=lambda i, _time, _latents: step(min(1.0, (i + 1) / steps)),
            **self._call,
        ).images[0]
        factor = self.tiling.factor
        return large.crop((0, 0, part.width * factor, part.height * factor))


def load(model: Model, place: Place) -> Swin2SR | Upscaler:
    if not (place.folder / "model_index.json").is_file():
        return Swin2SR(model, place)
    if _components.index(place.folder)["_class_name"] != "StableDiffusionUpscalePipeline":
        raise Fault("weights_mismatch", "A model of that class does not enlarge pictures.")
    return Upscaler(model, place)
