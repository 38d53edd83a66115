"""I2VGen-XL: a picture and words become a short video (Zhang et al. 2023, arXiv:2311.04145).

Small enough for a small device. Options stand in ``_film``, and

    variant          of the weights' files, such as fp16
    encoders_on_cpu  what reads words and pictures, which is needed once for a video, stays in the
                     memory of the machine
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from transformers import CLIPVisionModelWithProjection

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _components
from ._chance import seeded
from ._film import DECODING, Shot

TASKS = frozenset({"image-to-video"})

MULTIPLE = 64
"""Sides must be multiples of this: the autoencoder's factor 8, halved three more times by the network."""


class Moving:
    """The model."""

    def __init__(self, model: Model, place: Place, pipe: Any, home: str) -> None:  # noqa: ANN401
        """home is the device of the text encoder while nobody needs it."""
        self.options, self.place, self.pipe, self._home = model.options, place, pipe, home

    def modules(self) -> Sequence[torch.nn.Module]:
        return [p for p in self.pipe.components.values() if isinstance(p, torch.nn.Module)]

    def key(self, request: Request) -> Hashable | None:
        """Each alone: its frames are a batch for the network already."""
        return None

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        return [self._one(r, step, i / len(requests), 1 / len(requests)) for i, r in enumerate(requests)]

    def _one(self, request: Request, step: Step, before: float, share: float) -> Result:
        shot = Shot(request, self.options, 1, MULTIPLE)
        step(before)
        done = 0

        def after(*_: object) -> None:
            nonlocal done
            done += 1
            step(before + share * min(1.0, done / shot.steps) * (1 - DECODING))

        # the pipeline has no callback, but it calls the network once in each step
        hook = self.pipe.unet.register_forward_hook(after)
        try:
            with seeded(shot.seed, self.place.device):  # the autoencoder draws as it reads the picture
                video = self.pipe(
                    prompt_embeds=self._words(shot.prompt),
                    negative_prompt_embeds=self._words(shot.negative),
                    image=shot.picture,
                    width=shot.size[0],
                    height=shot.size[1],
                    target_fps=int(self.options["rate"]),
                    num_frames=shot.frames,
                    num_inference_steps=shot.steps,
                    guidance_scale=shot.guidance,
                    generator=shot.generator(),
                    output_type="pt",
                ).frames[0]
        finally:
            hook.remove()
        step(before + share)
        return shot.film(video, float(self.options["rate"]))

    def _words(self, text: str) -> torch.Tensor:
        """Read as the network was taught to: by the last layer but one, and normed. (The
        pipeline's own way looks for the norm where transformers had it before version 5.)"""
        read = self.pipe.tokenizer(text, padding="max_length", max_length=77, truncation=True, return_tensors="pt")
        encoder = self.pipe.text_encoder.to(self.place.device)
        try:
            layers = encoder(read.input_ids.to(self.place.device), output_hidden_states=True).hidden_states
            norm: torch.Tensor = getattr(encoder, "text_model", encoder).final_layer_norm(layers[-2])
        finally:
            encoder.to(self._home)
        return norm


def load(model: Model, place: Place) -> Moving:
    if _components.index(place.folder)["_class_name"] != "I2VGenXLPipeline":
        raise Fault("weights_mismatch", "The model is not of the class I2VGenXLPipeline.")
    from transformers import CLIPImageProcessor

    variant = model.options.get("variant")
    eye = _components.part(CLIPVisionModelWithProjection, place.folder / "image_encoder", place.dtype, variant)
    reads = CLIPImageProcessor.from_pretrained(place.folder / "feature_extractor", local_files_only=True)
    parts = _components.parts(place.folder, place.dtype, variant, {"image_encoder": eye, "feature_extractor": reads})
    pipe = _components.pipeline("I2VGenXLPipeline", place.folder, parts, "cpu")
    home = "cpu" if model.options.get("encoders_on_cpu") else place.device
    for part, where in ((pipe.unet, place.device), (pipe.vae, place.device), (pipe.text_encoder, home), (eye, home)):
        part.to(where)
    # the pipeline calls it with a picture that is on the device
    eye.register_forward_pre_hook(lambda *_: _move(eye, place.device))
    eye.register_forward_hook(lambda *_: _move(eye, home), always_call=True)
    return Moving(model, place, pipe, home)


def _move(part: torch.nn.Module, device: str) -> None:
    part.to(device)
