"""What the families that make videos have in common: how long, how large, by which chance.

models.yaml's options, which all of them have:

    size       width and height that the model was taught with; a picture's video has as many pixels
    frames     how many are made where the request does not say
    longest    how many are made at most
    rate       frames a second
    steps      of the sampler
    guidance   how closely it keeps to the words
    negative   what the video shall not be like, where the request does not say
    motion     what a picture does where the request does not say
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from PIL import Image

from ..faults import Fault
from ..work import Film, Request, Step
from . import _canvas, _preview
from ._chance import seed_of

LARGEST = 1920
"""The maximum side of a requested size, in pixels."""


class Shot:
    """What is made for one request."""

    def __init__(self, request: Request, options: Mapping[str, Any], every: int, multiple: int) -> None:
        """every and multiple: how many frames, and pixels of a side, the model makes in one."""
        p = request.parameters
        self.steps = int(p.get("num_inference_steps") or options["steps"])
        self.guidance = float(p["guidance_scale"] if p.get("guidance_scale") is not None else options["guidance"])
        self.frames = self._frames(p.get("num_frames"), options, every)
        avoided = p.get("negative_prompt")
        self.negative = ", ".join(avoided) if isinstance(avoided, list) else avoided or str(options.get("negative", ""))
        self.seed = seed_of(p)
        moved = isinstance(request.inputs, Image.Image)
        self.prompt = str((p.get("prompt") or options.get("motion", "")) if moved else request.inputs)
        if not moved and not self.prompt.strip():
            raise Fault("invalid_input", "Please say what the video should show.")
        wide, high = options["size"]
        self.final: _canvas.Size | None = None
        if moved:
            target = p.get("target_size")
            if target:
                self.final = int(target["width"]), int(target["height"])
                if max(self.final) > LARGEST:
                    raise Fault("invalid_parameter", f"target_size: no side may be longer than {LARGEST} pixels.")
            wanted = self.final or request.inputs.size
            self.size = _canvas.working(wanted, round(math.sqrt(wide * high)), multiple)
            self.picture: Image.Image | None = _canvas.cropped(_canvas.flat(request.inputs), self.size)
        else:
            self.size, self.picture = (wide, high), None

    @staticmethod
    def _frames(asked: int | None, options: Mapping[str, Any], every: int) -> int:
        frames, longest = int(asked or options["frames"]), int(options["longest"])
        if frames > longest:
            raise Fault("invalid_parameter", f"num_frames: this model makes at most {longest} frames.")
        return min(max(round((frames - 1) / every), 0) * every + 1, longest)

    def generator(self) -> torch.Generator:
        """Of the CPU, so that a seed is the same film on every device."""
        return torch.Generator("cpu").manual_seed(self.seed)

    def film(self, video: torch.Tensor, rate: float) -> Film:
        """Of frames by 3 by height by width from 0 to 1."""
        if not torch.isfinite(video).all():
            raise Fault("model_failed", "The model made a video that is none.")
        made = (video.float().clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
        if self.final and self.final != self.size:
            made = np.stack([np.asarray(_canvas.cropped(Image.fromarray(frame), self.final)) for frame in made])
        return Film(made, rate)


DECODING = 0.05
"""Which share of the work the frames are that are made of what was sampled, about."""


def told(step: Step, steps: int, size: _canvas.Size = (0, 0)) -> Callable[[Any, int, Any, dict[str, Any]], dict[str, Any]]:
    """What a pipeline calls after each of its steps. size is that of its frames; without one there are no previews."""

    def after(pipe: Any, done: int, _time: Any, tensors: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
        of = getattr(pipe, "num_timesteps", 0) or steps
        share = min(1.0, (done + 1) / of) * (1 - DECODING)
        if all(size):
            step(share, lambda: _preview.pictures(pipe, tensors["latents"], size))
        else:
            step(share)
        return tensors

    return after
