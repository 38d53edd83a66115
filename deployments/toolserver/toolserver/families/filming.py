"""Videos of words, and of a picture with words: Wan 2.1 and 2.2, CogVideoX.

    Wan         Wan Team 2025, arXiv:2503.20314, and the model cards of Wan 2.2
    CogVideoX   Yang et al. 2024, arXiv:2408.06072

Their text encoders (T5 of five thousand million weights) are larger than a small device and
are needed once for a video: with option ``text_on_cpu`` they stay in the memory of the
machine, and a prompt takes some seconds more. Further options stand in ``_film``, and

    guidance_2   of the second network of Wan 2.2 A14B, that for little noise
    tiling       frames are decoded in parts, which takes less memory: true, or the width and height of
                 a part; CogVideoX wants multiples of 40 and of 48
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _components
from ._film import Shot, told

TASKS = frozenset({"text-to-video", "image-to-video"})

# The pipelines of a model, by the class that its description names.
PIPELINES: dict[tuple[str, str], str] = {
    ("WanPipeline", "text-to-video"): "WanPipeline",
    ("WanPipeline", "image-to-video"): "WanImageToVideoPipeline",
    ("WanImageToVideoPipeline", "image-to-video"): "WanImageToVideoPipeline",
    ("CogVideoXPipeline", "text-to-video"): "CogVideoXPipeline",
    ("CogVideoXImageToVideoPipeline", "image-to-video"): "CogVideoXImageToVideoPipeline",
}

WAN, COGVIDEOX = 512, 226
"""The maximum length of a prompt in training, in tokens; longer ones are cut."""


class Filming:
    """A model, with a pipeline for each of its tasks over the same parts."""

    def __init__(self, model: Model, place: Place, pipes: dict[str, Any]) -> None:
        self.options, self.place, self.pipes = model.options, place, pipes

    def modules(self) -> Sequence[torch.nn.Module]:
        parts = {id(p): p for pipe in self.pipes.values() for p in pipe.components.values() if isinstance(p, torch.nn.Module)}
        return list(parts.values())

    def key(self, request: Request) -> Hashable | None:
        """Those of words, of the same length and steps; each picture alone, for the pipelines
        have one for all."""
        if request.task != "text-to-video":
            return None
        try:
            shot = self._shot(request)
        except Fault:
            return None
        return shot.frames, shot.size, shot.steps, shot.guidance

    def _shot(self, request: Request) -> Shot:
        pipe = self.pipes[request.task]
        patch = pipe.transformer.config.patch_size
        spatial = patch if isinstance(patch, int) else patch[-1]
        every = pipe.vae_scale_factor_temporal
        if not type(pipe).__name__.startswith("Wan"):
            every *= 2  # CogVideoX makes the first frame by itself only where its latent frames are odd
        return Shot(request, self.options, every, pipe.vae_scale_factor_spatial * spatial)

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        shots = [self._shot(r) for r in requests]
        first, pipe = shots[0], self.pipes[requests[0].task]
        step(0.0)
        guided = first.guidance > 1
        prompt = self._words(pipe, [s.prompt for s in shots])
        negative = self._words(pipe, [s.negative for s in shots]) if guided else None
        call: dict[str, Any] = {}
        if first.picture is not None:
            call["image"] = first.picture
        if "guidance_2" in self.options and pipe.config.get("boundary_ratio") is not None:
            call["guidance_scale_2"] = float(self.options["guidance_2"])
        step(0.0)
        videos = pipe(
            prompt_embeds=prompt,
            negative_prompt_embeds=negative,
            width=first.size[0],
            height=first.size[1],
            num_frames=first.frames,
            num_inference_steps=first.steps,
            guidance_scale=first.guidance,
            generator=[s.generator() for s in shots],
            callback_on_step_end=told(step, first.steps, first.size),
            output_type="pt",
            **call,
        ).frames
        step(1.0)
        return [s.film(video, float(self.options["rate"])) for s, video in zip(shots, videos, strict=True)]

    def _words(self, pipe: Any, texts: list[str]) -> torch.Tensor:  # noqa: ANN401
        """Read as the networks were taught to. (The pipelines' own ways differ in what else they
        need, and hold the encoder to be where the network is.)"""
        wan = type(pipe).__name__.startswith("Wan")
        clean = [" ".join(t.split()) for t in texts]
        length = WAN if wan else COGVIDEOX
        read = pipe.tokenizer(clean, padding="max_length", max_length=length, truncation=True, return_tensors="pt")
        device = next(pipe.text_encoder.parameters()).device
        if not wan:  # which was taught without regard for what is only there to fill
            found = pipe.text_encoder(read.input_ids.to(device))[0]
        else:
            mask = read.attention_mask.to(device)
            found = pipe.text_encoder(read.input_ids.to(device), mask)[0] * mask[..., None]
        told: torch.Tensor = found.to(self.place.device, self.place.dtype)
        return told


def load(model: Model, place: Place) -> Filming:
    described = str(_components.index(place.folder)["_class_name"])
    names: dict[str, str] = {}
    for task in model.tasks:
        if (described, task) not in PIPELINES:
            raise Fault("weights_mismatch", f"A model of the class {described} cannot do {task}.")
        names[task] = PIPELINES[described, task]
    given: dict[str, Any] = {}
    if described.startswith("Wan"):
        # its autoencoder makes spots in half precision
        from diffusers import AutoencoderKLWan

        given["vae"] = _components.part(AutoencoderKLWan, place.folder / "vae", torch.float32)
    stays = bool(model.options.get("text_on_cpu")) and place.device != "cpu"
    if stays:
        # processors have no quick arithmetic of float16
        given["text_encoder"] = _text_encoder(place, torch.bfloat16)
    parts: dict[str, Any] = _components.parts(place.folder, place.dtype, model.options.get("variant"), given)
    pipes: dict[str, Any] = {}
    for task, name in names.items():
        pipes[task] = _components.pipeline(name, place.folder, parts, "cpu")
        parts |= pipes[task].components
    for what, part in parts.items():
        if isinstance(part, torch.nn.Module) and not (stays and what == "text_encoder"):
            part.to(place.device)
    if tiling := model.options.get("tiling"):
        sides = {} if tiling is True else {"tile_sample_min_width": int(tiling[0]), "tile_sample_min_height": int(tiling[1])}
        parts["vae"].enable_tiling(**sides)
    return Filming(model, place, pipes)


def _text_encoder(place: Place, dtype: torch.dtype) -> Any:  # noqa: ANN401
    import transformers

    named = _components.index(place.folder).get("text_encoder")
    allowed = {"T5EncoderModel": transformers.T5EncoderModel, "UMT5EncoderModel": transformers.UMT5EncoderModel}
    cls = allowed.get(str(named[1])) if isinstance(named, list) and len(named) == 2 else None
    if cls is None:
        raise Fault("weights_mismatch", "The model has a text encoder of a class that is not known here.")
    return _components.part(cls, place.folder / "text_encoder", dtype)
